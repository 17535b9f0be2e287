"""Which submissions a person has to look at, and what is worth knowing besides. Pure functions from records.

Urgent is what no student can mend or explain alone: the grader failed, nothing could be graded, it is open which file counts,
or the code did what no mistake in an exercise does. All else, such as a crash or a late mark, is a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.classroom.record import ExerciseRecord, Record
from autograder.classroom.unnamed_failures import likeness
from autograder.course.spec import Status
from autograder.judge.crash_kinds import PROCESS_ENDED
from autograder.judge.reasons import Advice, Hint
from autograder.judge.result import CaseResult, is_no_python

# Keys that are no status of a case: what holds for a submission as a whole, or a kind of crash.
_DOUBT, _NOTHING, _ENDED, _NOTE = "doubt", "nothing", PROCESS_ENDED, "note"
_ANOTHER, _PACKAGE, _BROKEN, _TWICE = "another", "package", "broken", "twice"
_NO_PACKAGE = "ModuleNotFoundError:"  # how a remark on an import begins
_NO_NAME, _NO_MODULE = "undefined_name", "no_such_module"  # kinds of crash where what it brings is used, or asked for
_BUILDS, _FORBIDDEN = Hint.MEND_FIRST, Hint.FORBIDDEN
URGENT = {
    "grader_error": "The grader failed",
    Status.GRADER_ERROR: "The grader failed on some cases",
    "unreadable": "Could not be read",
    "not_importable": "Could not be imported",
    _BROKEN: "Graded without a part that is no Python",
    _NOTHING: "Nothing is written in it",
    _ANOTHER: "Perhaps the file of another assignment: it has no points, and most exercises are missing",
    _DOUBT: "It is open which file counts",
    _PACKAGE: "Builds on a package that is not installed here, or on a file that is not read",
    _ENDED: "Ended the Python process",
    Status.OUTPUT: "Returned something unusable",
    _BUILDS: "Perhaps right by itself: it lost points by what another wrong exercise gives it",
    _TWICE: "Perhaps one mistake, charged twice: a training lost points beside an exercise whose mistake has no name",
}
NOTES = {
    Status.TIMEOUT: "Timed out",
    Status.MEMORY: "Ran out of memory",
    Status.CRASHED: "Crashed",
    _FORBIDDEN: "Used what the exercise forbids",
    _NOTE: "Remarks, such as a second submission",
}
_ANEW = "run `autograder grade` on the unpacked folder with the same `-o`. All other results stay."
ADVICE = {  # by heading what a grader can do
    URGENT[
        _DOUBT
    ]: "To have another file graded, unpack the export, delete the student's files that should not count, and " + _ANEW,
    URGENT[
        "unreadable"
    ]: "To have a file graded all the same, such as one of several whose names say nothing, unpack the "
    f"export, rename, mend or delete that student's files, and {_ANEW}",
    URGENT[_TWICE]: "Where it is the same mistake, give the training's points with `autograder override`.",
    **dict.fromkeys(
        (URGENT["not_importable"], URGENT[_BROKEN]),
        f"To have all of a file graded, unpack the export, mend that student's file, and {_ANEW} Points off for that are given "
        "with `autograder override`.",
    ),
}
Rows = dict[str, tuple[tuple[str, str], ...]]  # by heading (student, what or where)


def looks(results: Iterable[Record]) -> Rows:
    """Return by heading who needs a look, most urgent heading first."""
    return _grouped(results, URGENT)


def notes(results: Iterable[Record]) -> Rows:
    """Return by heading what is worth knowing, and nothing has to be done about."""
    return _grouped(results, NOTES)


def places(result: Record) -> Iterator[tuple[str, str]]:
    """Yield where a submission needs a look, and why: an exercise, or "" for the submission as a whole."""
    for reason in _reasons(result):
        if reason.key in URGENT:
            heading = URGENT[reason.key]
            yield from ((exercise, f"{heading}.") for exercise in reason.exercises)
            if not reason.exercises:
                yield "", f"{heading}. {reason.what}"


def _grouped(results: Iterable[Record], headings: dict[str, str]) -> Rows:
    groups: dict[str, list[tuple[str, str]]] = {key: [] for key in headings}
    for result in results:
        for reason in _reasons(result):
            if reason.key in groups:
                groups[reason.key].append((result.student, reason.what))
    return {headings[key]: tuple(rows) for key, rows in groups.items() if rows}


@dataclass(frozen=True)
class _Reason:
    """Why a submission is worth a look, with what happened or where."""

    key: str
    what: str
    exercises: tuple[str, ...] = ()


def _reasons(result: Record) -> Iterator[_Reason]:
    """Yield why a submission is worth a look."""
    if result.status != "graded":
        yield _Reason(result.status, result.problem or "No reason was given.")
    elif result.exercises and all(e.status is Status.MISSING and not _waits(e) for e in result.exercises):
        where = f", in {result.origin}" if result.origin else ""
        yield _Reason(
            _NOTHING,
            f"Every exercise is missing, or as it was handed out{where}",
        )
    else:
        missing = [e.name for e in result.exercises if e.status is Status.MISSING]
        if not result.points and 2 * len(missing) > len(result.exercises):
            yield _Reason(_ANOTHER, f"{len(missing)} of {len(result.exercises)} are missing")
        kinds: dict[str, dict[str, None]] = {}
        for exercise in result.exercises:
            for case in exercise.cases:
                kinds.setdefault(_kind(case), {})[exercise.name] = None
        if _NO_NAME in {case.crash for exercise in result.exercises for case in exercise.cases}:
            remarks = [note.partition("\n")[0] for note in result.notes if note.startswith(_NO_PACKAGE)]
            yield from (_Reason(_PACKAGE, remark) for remark in remarks)
        asking = [e.name for e in result.exercises if any(case.crash == _NO_MODULE for case in e.cases)]
        if asking:
            yield _Reason(_PACKAGE, _list(asking), tuple(asking))
        for key, names in kinds.items():
            yield _Reason(key, _list(names), tuple(names))
        trained, beside = _trained(result), [e.name for e in result.exercises if not e.device and likeness(e.cases)]
        if trained and beside:
            yield _Reason(_TWICE, f"{_list(trained)} beside {_list(beside)}", trained)
    yield from (_Reason(_DOUBT, doubt) for doubt in result.doubts)
    for note in (note for note in result.notes if note not in result.doubts):
        yield _Reason(_BROKEN if is_no_python(note) else _NOTE, note)


def _trained(result: Record) -> tuple[str, ...]:
    """Return the trainings that lost points by a failure of their own, and about which no person decided."""
    found = (e for e in result.exercises if e.device and not e.override and e.points < e.max_score)
    return tuple(e.name for e in found if any(case.status in (Status.FAILED, Status.CRASHED) for case in e.cases))


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _waits(exercise: ExerciseRecord) -> bool:
    return any(case.waits_for for case in exercise.cases)


def _kind(case: CaseResult) -> str:
    if case.crash == PROCESS_ENDED:
        return _ENDED
    if case.status is Status.SKIPPED and case.waits_for:
        return _BUILDS
    said = case.reason.hint if isinstance(case.reason, Advice) else None
    return said if said in (_BUILDS, _FORBIDDEN) and case.status in (Status.FAILED, Status.CRASHED) else case.status
