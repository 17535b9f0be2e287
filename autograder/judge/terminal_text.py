"""Write a result as text for a terminal: each exercise with its first case that does not pass."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from autograder.course.spec import Status
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.sandbox.job import JobResult, Outcome, Trouble

MOST_PRINTED = 500  # characters of what a file printed while it was imported
_COLORS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_MARKS = {Status.PASSED: ("✓", "green"), Status.MISSING: ("·", "dim"), Status.SKIPPED: ("·", "dim")}
_ESCAPES = re.compile(r"\x1b\[\d*m")
# The folders above a library's file, or above this package's, as warnings and tracebacks show them.
_FOLDERS = re.compile(
    r"""(?<![^\s"'(<,=])(?: [A-Za-z]:[^\n"'()<>|?*:]* | (?<=["'(])/[^\n"'():]* | /[^\s"'():]* )[\\/]
        (?: (?:site-packages|dist-packages|python3\.\d+|Lib)[\\/](?!site-packages|dist-packages)
          | (?=autograder[\\/]sandbox[\\/]) )""",
    re.VERBOSE,
)


def result_as_text(title: str, result: Result, *, width: int = 100, color: bool = False) -> str:
    """Return a result as text, with a title above it."""
    lines = [_in("bold", plain(title)), *_told(result, width)]
    text = "\n".join(line.rstrip() for line in lines)
    return text if color else _ESCAPES.sub("", text)


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


def _told(result: Result, width: int) -> Iterator[str]:
    if result.problem:
        yield from (_in("red", line) for line in plain(result.problem).splitlines())
        return
    for exercise in result.exercises:
        yield from _exercise(exercise, width)
    for note in result.notes:
        yield _in("yellow", "Left out, because it fails when your file is imported: ") + plain(note)
    if result.printed:
        yield _in("dim", "Your file printed while it was imported:")
        yield from plain(result.printed[:MOST_PRINTED]).splitlines()
    points = _in("bold", f"{result.score:g} of {result.max_score:g} points")
    yield f"{points} on the public cases. Grading adds hidden cases."


def _exercise(exercise: ExerciseResult, width: int) -> Iterator[str]:
    mark, color = _MARKS.get(exercise.status, ("✗", "red"))
    points = f"{exercise.score:g} / {exercise.max_score:g}"
    status = "" if exercise.status is Status.PASSED else str(exercise.status)
    given = dict.fromkeys(name for case in exercise.cases for name in case.follows)
    if given:
        status = f"{status} given your {', '.join(given)}".strip()
    if exercise.status is Status.MISSING:
        status += f"   {plain(exercise.cases[0].message)}"
    yield f"{_in(color, mark)} {exercise.name:<24}{points:>10}   {status}"
    if exercise.status in (Status.PASSED, Status.MISSING):
        return
    first, *others = failing(exercise)
    yield from _wrapped(f"{first.name}: {plain(first.claim)}", width, bold=len(first.name))
    happened, *shown = plain(first.message).splitlines() or [""]
    yield from textwrap.wrap(happened, max(40, width), initial_indent="      ", subsequent_indent="      ")
    yield from (f"      {line}" for line in shown)
    if first.says:
        yield from (_in("yellow", line) for line in _wrapped(f"→ {plain(first.says)}", width))
    if others:
        names = ", ".join(case.name for case in others)
        text = f"{len(others)} more of its cases {'does' if len(others) == 1 else 'do'} not pass: {names}"
        yield from (_in("dim", line) for line in _wrapped(text, width))


def failing(exercise: ExerciseResult) -> tuple[CaseResult, ...]:
    """Return an exercise's cases that do not pass."""
    return tuple(case for case in exercise.cases if case.status is not Status.PASSED)


def _wrapped(text: str, width: int, *, bold: int = 0) -> Iterator[str]:
    """Break a paragraph into indented lines, the first few characters of it in bold."""
    lines = textwrap.wrap(text, max(40, width), initial_indent="    ", subsequent_indent="    ") or [""]
    if bold:
        lines[0] = "    " + _in("bold", lines[0][4 : 4 + bold]) + lines[0][4 + bold :]
    yield from lines


def _in(style: str, text: str) -> str:
    return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if text else ""
