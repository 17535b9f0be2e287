"""Write a result as text for a terminal: each exercise with its first case that does not pass."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from autograder.course.spec import Status
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.sandbox.job import JobResult, Outcome, Trouble

SCREEN = 36  # lines of the exercises above which those that pass share one
MOST_PRINTED = 500  # characters of what a file printed while it was imported
_COLORS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_MARKS = {Status.PASSED: ("✓", "green"), Status.MISSING: ("·", "dim"), Status.SKIPPED: ("·", "dim")} | {
    Status.MANUAL: ("✓", "green")
}
_ESCAPES = re.compile(r"\x1b\[\d*m")
# The folders above a library's file, or above this package's, as warnings and tracebacks show them.
_FOLDERS = re.compile(
    r"""(?<![^\s"'(<,=])(?: [A-Za-z]:[^\n"'()<>|?*:]* | (?<=["'(])/[^\n"'():]* | /[^\s"'():]* )[\\/]
        (?: (?:site-packages|dist-packages|python3\.\d+|Lib)[\\/](?!site-packages|dist-packages)
          | (?=autograder[\\/]sandbox[\\/]) )""",
    re.VERBOSE,
)


def result_as_text(title: str, result: Result, *, width: int = 100, color: bool = False, full: bool = False) -> str:
    """Return a result as text, with a title above it: the exercise to mend first, then a line for each of the others.

    With `full`, every exercise that fails stands there as the first one does, and modules with all their parameters.
    """
    lines = [_in("bold", plain(title)), *_told(result, width, full=full)]
    text = "\n".join(line.rstrip() for line in lines)
    return text if color else _ESCAPES.sub("", text)


def case_as_text(case: CaseResult) -> str:
    """Return what there is to read about a case that did not pass, the sentence that helps first."""
    return "\n".join(filter(None, [f"→ {case.lead}", case.claim, *_shown(case), case.advice]))


def plain(text: str) -> str:
    """Return text with its control characters made visible, since they could move a terminal's cursor."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def without_folders(ran: JobResult) -> JobResult:
    """Return a run in which printed and raised texts name a library's file without the folders above it."""

    def trouble_without(trouble: Trouble | None) -> Trouble | None:
        return trouble and replace(trouble, text=_FOLDERS.sub("", trouble.text))

    def outcome_without(outcome: Outcome) -> Outcome:
        if not outcome.printed and not outcome.trouble:
            return outcome
        printed = _FOLDERS.sub("", outcome.printed)
        return replace(outcome, printed=printed, trouble=trouble_without(outcome.trouble))

    notes = tuple(filter(None, map(trouble_without, ran.notes)))
    return replace(
        ran, outcomes=tuple(map(outcome_without, ran.outcomes)), loading=outcome_without(ran.loading), notes=notes
    )


def _told(result: Result, width: int, *, full: bool) -> Iterator[str]:
    if result.problem:
        yield from (_in("red", line) for line in plain(result.problem).splitlines())
        return
    to_mend = [exercise for exercise in result.to_mend if exercise.status is not Status.MISSING]
    blocks = to_mend if full else to_mend[:1]
    shown = list(itertools.chain(*([*_block(exercise, width, full=full), ""] for exercise in blocks)))
    yield from shown
    others = [exercise for exercise in result.exercises if exercise not in blocks]
    if len(shown) + len(others) > SCREEN:
        passed = [exercise for exercise in others if exercise.status is Status.PASSED and not exercise.follows]
        others = [exercise for exercise in others if exercise not in passed]
        names = ", ".join(exercise.name for exercise in passed)
        yield from _filled(f"{_in('green', '✓')} {names}", width, "", "  ") if passed else ()
    for exercise in others:
        yield from _row(exercise, width)
    for note in result.notes:
        yield _in("yellow", "Left out, because it fails when your file is imported: ") + plain(note)
    if result.printed:
        yield _in("dim", "Your file printed while it was imported:")
        yield from plain(result.printed[:MOST_PRINTED]).splitlines()
    later = " and ".join(exercise.name for exercise in result.exercises if not exercise.judged)
    points = f"{result.score:g} of {result.max_score:g} points"
    told = f"{_in('bold', points)} on the public cases. " if result.max_score else ""
    yield f"{told}Grading adds hidden cases{f' and judges your {later}' * bool(later)}."


def _head(exercise: ExerciseResult) -> str:
    mark, color = _MARKS.get(exercise.status, ("✗", "red"))
    points = f"{exercise.score:g} / {exercise.max_score:g}"
    if exercise.by_person or not exercise.judged:
        points = "open" if exercise.failing or exercise.answer == "" else "answered"
    status = "" if exercise.status is Status.PASSED else str(exercise.status)
    if exercise.by_person:
        status = f"graded by a person, {exercise.max_score:g} point{'s' * (exercise.max_score != 1)}"
    if exercise.follows:
        status = f"{status} given your {', '.join(exercise.follows)}".strip()
    if exercise.bonus:
        status = f"{status}, bonus".removeprefix(", ")
    return f"{_in(color, mark)} {exercise.name:<24}{points:>10}   {status}"


def _row(exercise: ExerciseResult, width: int) -> Iterator[str]:
    """Yield an exercise's line, with what it waits for; what fails by itself has a line for the sentence that helps."""
    head, case = _head(exercise), exercise.shown
    if case is None:
        yield head
    elif exercise.waits_for:
        yield f"{head}, waits for {exercise.waits_for}"
    elif exercise.status is Status.MISSING:
        yield f"{head}   {plain(case.message)}"
    else:
        yield head
        yield _in("yellow", "    " + textwrap.shorten(f"→ {plain(case.lead)}", max(40, width) - 4, placeholder=" ..."))


def _block(exercise: ExerciseResult, width: int, *, full: bool) -> Iterator[str]:
    """Yield everything about an exercise that does not pass, by the case that is the easiest to follow."""
    yield _head(exercise)
    case = exercise.shown
    if case is None:
        return
    yield from (_in("yellow", line) for line in _wrapped(f"→ {plain(case.lead)}", width))
    yield from _wrapped(f"{case.name}: {plain(case.claim)}", width, bold=len(case.name))
    happened, *shown = [plain(line) for line in _shown(case)] or [""]
    yield from _fitted(happened, width)
    yield from itertools.chain(*(_fitted(line, width) for line in shown))
    if full:
        yield from itertools.chain(*(_fitted(line, width) for line in case.told.more.splitlines()))
    yield from _wrapped(plain(case.advice), width) if case.advice else ()
    others = [other.name for other in exercise.failing if other is not case]
    if others:
        text = f"{len(others)} more of its cases {'does' if len(others) == 1 else 'do'} not pass: {', '.join(others)}"
        yield from (_in("dim", line) for line in _wrapped(text, width))


def _fitted(line: str, width: int) -> list[str]:
    """Return a line that shows something, indented; one that is too long is broken below its own beginning."""
    indent = " " * (6 + len(line) - len(line.lstrip()))
    return _filled(line.lstrip(), width, indent, indent + "  ")


def _shown(case: CaseResult) -> list[str]:
    """Return what happened in a case and what shows it, without the sentence that is told first."""
    return (case.told.details if case.lead == case.told.headline else case.message).splitlines()


def _wrapped(text: str, width: int, *, bold: int = 0) -> Iterator[str]:
    """Break a paragraph into indented lines, the first few characters of it in bold."""
    lines = _filled(text, width, "    ", "    ")
    if bold:
        lines[0] = "    " + _in("bold", lines[0][4 : 4 + bold]) + lines[0][4 + bold :]
    yield from lines


def _filled(text: str, width: int, first: str, rest: str) -> list[str]:
    """Break a text into lines, and no name at a hyphen in it."""
    width = max(40, width)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False) or [""]


def _in(style: str, text: str) -> str:
    return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if text else ""
