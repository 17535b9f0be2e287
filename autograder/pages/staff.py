"""One student's page for graders: the code as graded beside the verdict, and the commands that look again and decide.

It stands in `staff/` beside the report and is for graders alone: feedback is what students get. All of it is text that is escaped.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.code_lines import Span, lines_of, spans_of
from autograder.classroom.record import NOT_GRADED, NOT_SUBMITTED, ExerciseRecord, Record
from autograder.classroom.unnamed_failures import likeness
from autograder.course.spec import Status
from autograder.feedback.check_page import unfolded
from autograder.pages import class_statistics
from autograder.pages.feedback import decisions_line, feedback_line, handing_in_line
from autograder.pages.page import render
from autograder.pages.review_queue import Place
from autograder.sandbox.job import Source

_QUIET = (Status.PASSED, Status.MISSING)
_LINES = {  # what a student is told otherwise
    "grader_error": "The grader failed here, which costs the student nothing. Grade it again.",
    "unreadable": "What was handed in could not be read, so no case ran.",
    "not_importable": "The file could not be imported, so no case ran.",
    NOT_SUBMITTED: "Nothing was handed in.",
    NOT_GRADED: "It is not graded yet.",
}


@dataclass(frozen=True)
class Piece:
    """Some lines of code that are shown alike: of a failing exercise, or a line in which a call stopped, or neither."""

    text: str
    exercise: str = ""
    stopped: bool = False
    begins: bool = False  # whether the exercise's counting definition begins here, so that a link may lead to it


@dataclass(frozen=True)
class File:
    """A file or cell as it is shown: its label, the numbers of its lines, and its lines in pieces."""

    label: str
    numbers: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Verdict:
    """An exercise, where its code stands, and what a grader may run about it."""

    exercise: ExerciseRecord
    lines: str  # "120 to 146", or nothing
    explain: str  # nothing where there is no code to run
    override: str
    name: str = ""  # where no known mistake explains it


def staff_html(result: Record, source: Source | None, out: Path, place: Place | None) -> str:
    """Return the page; `out` is the folder of the class as commands name it, `place` the student's in the queue, if any."""
    return render("staff.html", **told_of(result, source, out), place=place, in_form=None)


def told_of(result: Record, source: Source | None, out: Path, first: str = "") -> dict[str, object]:
    """Return what the page tells of a student; one exercise may come first and be unfolded."""
    ran = (
        not result.problem
    )  # else one thing is wrong with the file as a whole, and no exercise has a verdict of its own
    failing = sorted((e for e in result.exercises if e.status is not Status.PASSED), key=lambda e: e.name != first)
    marked = [e for e in failing if not e.by_person]
    spans = {e.name: spans_of(source, e.name.partition(".")[0]) for e in marked} if source and ran else {}
    return {
        "result": result,
        "files": tuple(_files(source, spans, failing)) if source else (),
        "ran": ran,
        "verdicts": [
            _verdict(result.student, e, spans.get(e.name, ()), out, can_run=source is not None) for e in failing
        ],
        "passed": [e for e in result.exercises if e.status is Status.PASSED],
        "line": _line(result),
        "handing_in": handing_in_line(result),
        "decided": [exercise.name for _, exercise in class_statistics.decisions([result])],
        "unfolded": (*unfolded(result.exercises), first),
        "pictures": dict(source.pictures) if source else {},
    }


def _line(result: Record) -> str:
    """Sum up a result in a sentence, and name what a person decided."""
    told = _LINES.get(result.status)
    return f"{told} {decisions_line(result)}".rstrip() if told else feedback_line(result)


def _verdict(student: str, exercise: ExerciseRecord, spans: tuple[Span, ...], out: Path, *, can_run: bool) -> Verdict:
    about, lines = (student, exercise.name), f"{spans[-1].first} to {spans[-1].last}" if spans else ""
    folder = str(out.absolute())  # so that a command may be pasted wherever a grader stands
    explain = command_on(student, "explain", about, ("-o", folder)) if can_run and exercise.cases else ""
    override = command_on(student, "override", (*about, "POINTS"), ("--because", "", "-o", folder))
    name = command_on(student, "name", about, ("-o", folder)) if likeness(exercise.cases) else ""
    return Verdict(exercise, lines, explain, override, name)


def command_on(student: str, name: str, about: Iterable[str], options: Iterable[str]) -> str:
    """Return a command about a student as a shell takes it; a name that looks like an option stands after all options."""
    words = [*options, "--", *about] if student.startswith("-") else [*about, *options]
    return shlex.join(["autograder", name, *words])


def _files(source: Source, spans: Mapping[str, tuple[Span, ...]], failing: Iterable[ExerciseRecord]) -> Iterator[File]:
    """Yield the code in pieces; of exercises that are not written yet nothing is marked."""
    shown = {e.name: spans.get(e.name, ()) for e in failing if e.status not in _QUIET}
    stopped = {c.raised_at for e in failing for c in e.cases if c.raised_at}
    for number, chunk in enumerate(source.chunks):
        lines = lines_of(chunk.text.removesuffix("\n"))
        owners = [""] * (len(lines) + 1)
        begins = {}
        for name, found in shown.items():
            for span in (span for span in found if span.chunk == number):
                owners[span.first : span.last + 1] = [name] * (span.last + 1 - span.first)
                if span == found[-1]:
                    begins[span.first] = name
        marked = {line for label, line in stopped if label == chunk.label}
        pieces = _pieces(lines, owners, marked, begins)
        yield File(chunk.label, "\n".join(map(str, range(1, len(lines) + 1))), tuple(pieces))


def _pieces(lines: list[str], owners: list[str], marked: set[int], begins: Mapping[int, str]) -> Iterator[Piece]:
    """Cut lines where what is to be shown of them changes."""
    held: list[str] = []
    kind = ("", False)
    start = 1
    for number, line in enumerate([*lines, ""], start=1):
        after = ("end", True) if number > len(lines) else (owners[number], number in marked)
        if held and (after != kind or number in begins):
            yield Piece("\n".join(held) + "\n", *kind, begins=begins.get(start) == kind[0] != "")
            held = []
        if not held:
            start, kind = number, after
        held.append(line)
