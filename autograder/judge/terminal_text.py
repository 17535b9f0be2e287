"""Write a result as text for a terminal: each exercise with its first case that does not pass."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autograder.course.language import marked, say, say_many
from autograder.course.spec import Status
from autograder.judge.points import graded_by_person, points_of, points_text
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.screen import CUTS, Cut, Listed, Screen
from autograder.sandbox.job import JobResult, Outcome, Trouble

MOST_PRINTED, MOST_PRINTED_LINES = 500, 5  # characters and lines of what a file printed while it was imported
ENDLESS = Screen()
_COLORS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_MARKS = {Status.PASSED: ("✓", "green"), Status.MISSING: ("·", "dim"), Status.SKIPPED: ("·", "dim")} | {
    Status.MANUAL: ("✓", "green")
}
USUAL_IMPORTS = {"np": "import numpy as np", "torch": "import torch", "nn": "from torch import nn"}
_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
_ESCAPES = re.compile(r"\x1b\[\d*m")
# The folders above a library's file, or above this package's, as warnings and tracebacks show them. No path goes on where
# another could begin: a hostile print may hold the beginnings of thousands.
_FOLDERS = re.compile(
    r"""(?<![^\s"'(<,=])(?: [A-Za-z]:[^\n"'()<>|?*:]* | (?<=["'(])/[^\n"'():]* | /[^\s"'():<,=]* )[\\/]
        (?: (?:site-packages|dist-packages|python3\.\d+|Lib)[\\/](?!site-packages|dist-packages)
          | (?=autograder[\\/]sandbox[\\/]) )""",
    re.VERBOSE,
)


def result_as_text(
    title: str, result: Result, screen: Screen = ENDLESS, *, full: bool = False, options: bool = False
) -> str:
    """Return a result as text, with a title above it: the exercise to mend first, then what there is of the others.

    It is cut until the screen holds it. With `full` it is not, and every exercise that fails stands there as the first one
    does, and modules with all their parameters. `options` says that a command shows it, which takes options.
    """
    text = ""
    for cut in CUTS:
        lines = [_in("bold", plain(title)), *_told(result, screen.width, cut, full=full, options=options)]
        text = "\n".join(line.rstrip() for line in lines)
        if full or screen.holds(text.count("\n") + 1):
            break
    return text if screen.color else _ESCAPES.sub("", text)


def case_as_text(case: CaseResult) -> str:
    """Return what there is to read about a case that did not pass, the sentence that helps first."""
    return "\n".join(filter(None, [f"→ {case.lead}", case.where, case.claim, *_shown(case), case.advice]))


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
        return outcome.told(printed=printed, trouble=trouble_without(outcome.trouble))

    notes = tuple(filter(None, map(trouble_without, ran.notes)))
    return replace(
        ran, outcomes=tuple(map(outcome_without, ran.outcomes)), loading=outcome_without(ran.loading), notes=notes
    )


def _told(result: Result, width: int, cut: Cut, *, full: bool, options: bool) -> Iterator[str]:
    if result.problem:
        yield from (_in("red", line) for line in plain(result.problem).splitlines())
        return
    awaited = {e.waits_for for e in result.to_mend}  # what is written waits for these, renamed ones among them
    missing = [e.name for e in result.to_mend if e.status is Status.MISSING]
    shown = {e.name for e in result.to_mend if not (missing and e.is_open)}.difference(set(missing) - awaited)
    to_mend = [e for e in result.to_mend if e.name in shown]
    blocks = to_mend if full else to_mend[:1]
    yield from (*_left_out(result.notes), *[""] * bool(result.notes))  # first: what is not there is missing everywhere
    for exercise in blocks:
        yield from (*_block(exercise, width, cut, full=full), "")
    yield from _others([exercise for exercise in result.exercises if exercise not in blocks], width, cut)
    if result.printed:
        yield _in("dim", say("Your file printed while it was imported:"))
        yield from plain(result.printed[:MOST_PRINTED]).splitlines()[: None if full else MOST_PRINTED_LINES]
    first, *rest = _filled(" ".join(_last_words(result)), width, "", "")
    points = points_of(result.score, result.max_score)
    yield from (first.replace(points, _in("bold", points)), *rest)
    if options and to_mend and (to_mend[0].judged or cut.leaves_out):
        yield from _filled(_how_to_go_on(to_mend[0], more=cut.leaves_out and not full), width, "", "")
    elif options and result.to_mend and not result.notes:  # else what was left out may be all that is missing
        unwritten = result.to_mend[0]
        told = marked("To write next: {name}. Add next for its text.")
        if unwritten.judged:
            told = marked("To write next: {name}. Add --hint for a hint, or next for its text.")
        yield from _filled(say(told, name=unwritten.name), width, "", "")


def _left_out(notes: Sequence[str]) -> Iterator[str]:
    """Say what was not imported, and why; what fails for the same reason is counted."""
    places: dict[str, list[str]] = {}
    for note in notes:
        why, _, place = note.partition("\n")
        places.setdefault(why, []).append(place)
    for why, (first, *others) in places.items():
        if not first:  # of the file as a whole
            yield _in("yellow", plain(why))
            continue
        yield _in("yellow", say("Left out when your file is imported: ")) + plain(why)
        yield from plain(first).splitlines()
        if others:
            yield "  " + say_many(
                "{n} more place fails in the same way.", "{n} more places fail in the same way.", len(others)
            )
        name = _UNDEFINED.fullmatch(why)
        if name and name[1] in USUAL_IMPORTS:
            yield "  " + say("Write `{line}` at the top of your file.", line=USUAL_IMPORTS[name[1]])


def _last_words(result: Result) -> Iterator[str]:
    """Say how many points the cases give that were run, and what grading adds to them."""
    if result.max_score:
        yield say("{points} on the public cases.", points=points_of(result.score, result.max_score))
    later = [exercise.name for exercise in result.exercises if not exercise.judged]
    if later:
        yield say("Grading adds hidden cases and your {names}.", names=say(" and ").join(later))
    else:
        yield say("Grading adds hidden cases.")
    if any(exercise.waits_for for exercise in result.exercises):
        yield say("What waits for another exercise is judged without it there.")


def _how_to_go_on(exercise: ExerciseResult, *, more: bool) -> str:
    """Return which options lead on from an exercise that is shown; `more` says that something of it is left out."""
    if not exercise.judged:  # of a quiz there are no hints
        return say("Add --full to see all of it.")
    told = marked("Stuck? Add --hint or --debug {name}.")
    if more:
        told = marked("Stuck? Add --hint, --debug {name} or --full to see all of it.")
    return say(told, name=exercise.name)


@dataclass(frozen=True)
class _Group:
    """Exercises that can share a line, and how it begins."""

    mark: str
    color: str
    named: str  # with their names
    counted: str  # with their number


_PASSED = _Group("✓", "green", "{names}", marked("{n} right"))
_AGAIN = _Group("≈", "yellow", marked("the same mistake again: {names}"), marked("{n} with the same mistake"))
_FAILING = _Group("✗", "red", marked("wrong, too: {names}"), marked("{n} wrong, too"))
_OPEN = _Group("·", "dim", marked("open: {names}"), marked("{n} open"))
_MISSING = _Group("·", "dim", marked("not written yet: {names}"), marked("{n} not written yet"))
_WAITING = _Group("·", "dim", marked("waiting: {names}"), marked("{n} waiting"))


def _group(exercise: ExerciseResult) -> _Group:
    if exercise.again:
        return _AGAIN
    if exercise.status in (Status.PASSED, Status.MANUAL):
        return _PASSED
    if exercise.waits_for:
        return _WAITING
    if exercise.is_open:
        return _OPEN
    return _MISSING if exercise.status is Status.MISSING else _FAILING


def _named(exercise: ExerciseResult) -> str:
    if not exercise.waits_for:
        return exercise.name
    return say("{name} (for {other})", name=exercise.name, other=exercise.waits_for)


def _others(exercises: Sequence[ExerciseResult], width: int, cut: Cut) -> Iterator[str]:
    """Yield what there is to know of the exercises that are not shown in full."""
    listed = {_PASSED: cut.passed, _AGAIN: cut.failing, _FAILING: cut.failing}
    listed |= {_OPEN: cut.open, _MISSING: cut.open, _WAITING: cut.open}
    counted = list[str]()
    shared = list[ExerciseResult]()
    for group, how in listed.items():
        # A name alone would not say that an exercise passes on top of a mistake, or that a person grades it.
        own = [e for e in exercises if _group(e) is group and not (how is Listed.NAMED and (e.follows or e.by_person))]
        if how is Listed.EACH or not own:
            continue
        shared += own
        mark = _in(group.color, group.mark)
        if how is Listed.NAMED:
            told = say(group.named, names=", ".join(map(_named, own)))
            yield from _filled(f"{mark} {told}", width, "", "  ")
        else:
            counted.append(f"{mark} {say(group.counted, n=len(own))}")
    yield from ["   ".join(counted)] if counted else []
    for exercise in exercises:
        if exercise not in shared:
            yield from _row(exercise, width)


def _head(exercise: ExerciseResult) -> str:
    mark, color = _MARKS.get(exercise.status, (_OPEN.mark, _OPEN.color) if exercise.is_open else ("✗", "red"))
    points = f"{points_text(exercise.score)} / {points_text(exercise.max_score)}"
    if exercise.by_person or not exercise.judged:
        points = say("open") if exercise.failing or exercise.answer == "" else say("answered")
    status = "" if exercise.status is Status.PASSED or exercise.is_open else str(exercise.status)
    if exercise.by_person:
        status = graded_by_person(exercise.max_score)
    if exercise.again:
        mark, color = _AGAIN.mark, _AGAIN.color
        status = say("the same mistake as in your {names}", names=", ".join(exercise.follows))
    elif exercise.follows:
        told = say("{status} given your {names}", status=status, names=", ".join(exercise.follows))
        status = told.strip()
    if exercise.bonus:
        status = ", ".join(filter(None, [status, say("bonus")]))
    return f"{_in(color, mark)} {exercise.name:<24}{points:>10}   {status}"


def _row(exercise: ExerciseResult, width: int) -> Iterator[str]:
    """Yield an exercise's line, with what it waits for; what fails by itself has a line for the sentence that helps."""
    head, case = _head(exercise), exercise.shown
    if case is None:
        yield head
    elif exercise.waits_for:
        yield say("{exercise}, waits for {name}", exercise=head, name=exercise.waits_for)
    elif exercise.status is Status.MISSING:
        yield f"{head}   {plain(case.message)}"
    else:
        yield head
        yield _in("yellow", "    " + textwrap.shorten(f"→ {plain(case.lead)}", max(40, width) - 4, placeholder=" ..."))


def _block(exercise: ExerciseResult, width: int, cut: Cut, *, full: bool) -> Iterator[str]:
    """Yield everything about an exercise that does not pass, by the case that is the easiest to follow."""
    yield _head(exercise)
    case = exercise.shown
    if case is None:
        return
    yield from (_in("yellow", line) for line in _wrapped(f"→ {plain(case.lead)}", width))
    yield from _wrapped(plain(case.where), width) if case.where else ()
    claim = f"{case.name}: {plain(case.claim)}"
    claim = claim if cut.claim_whole else textwrap.shorten(claim, max(40, width) - 4, placeholder=" ...")
    yield from _wrapped(claim, width, bold=len(case.name))
    happened, *shown = [plain(line) for line in _shown(case, cut.details)] or [""]
    yield from _fitted(happened, width)
    yield from itertools.chain(*(_fitted(line, width) for line in shown))
    if full:
        yield from itertools.chain(*(_fitted(line, width) for line in case.told.more.splitlines()))
    yield from _wrapped(plain(case.advice), width) if case.advice else ()
    others = [other.name for other in exercise.failing if other is not case]
    if full:
        yield from itertools.chain(*(_another(other, case, width) for other in exercise.failing if other is not case))
    elif others:
        told = (
            say_many("{n} more of its cases does not pass", "{n} more of its cases do not pass", len(others))
            if not cut.names_cases
            else say_many(
                "{n} more of its cases does not pass: {names}",
                "{n} more of its cases do not pass: {names}",
                len(others),
                names=", ".join(others),
            )
        )
        yield from (_in("dim", line) for line in _wrapped(told, width))


def _another(case: CaseResult, first: CaseResult, width: int) -> Iterator[str]:
    """Yield everything about a case that fails, too, below the one that is told first."""
    yield from _wrapped(f"{case.name}: {plain(case.claim)}", width, bold=len(case.name))
    if case.lead != first.lead:
        yield from (_in("yellow", line) for line in _wrapped(f"→ {plain(case.lead)}", width))
    yield from itertools.chain(*(_fitted(plain(line), width) for line in _shown(case)))


def _fitted(line: str, width: int) -> list[str]:
    """Return a line that shows something, indented; one that is too long is broken below its own beginning."""
    indent = " " * (6 + len(line) - len(line.lstrip()))
    return _filled(line.lstrip(), width, indent, indent + "  ")


def _shown(case: CaseResult, step: int = 0) -> list[str]:
    """Return what happened in a case and what shows it, so many steps shorter, without the sentence that is told first."""
    details = case.told.shortened(step)
    text = details if case.lead == case.told.headline else f"{case.told.headline}\n{details}".strip("\n")
    return text.splitlines()


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
