"""Who is behind the numbers of a class: mistakes and their students, who needs a look, who was late, slow or overruled."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.classroom.record import Record
from autograder.course.spec import Status
from autograder.judge.reasons import Diagnosis
from autograder.judge.result import CaseResult
from autograder.pages.class_numbers import cases, graded

SLOWEST = 10  # submissions shown as the slowest

# Why a submission needs a look: most urgent first. The first four are the submission's, the others its cases'.
REASONS = {
    "grader_error": "The grader failed",
    "unreadable": "Could not be read",
    "not_importable": "Could not be imported",
    "doubt": "It is open which file counts",
    Status.GRADER_ERROR: "The grader failed on some cases",
    Status.TIMEOUT: "Timed out",
    Status.MEMORY: "Ran out of memory",
    Status.OUTPUT: "Returned something unusable",
    Status.CRASHED: "Crashed",
    "note": "Notes, such as a second submission",
}


@dataclass(frozen=True)
class Mistake:
    """A misconception as it turned up in a class: its sentence, where, and the students behind it."""

    name: str
    says: str
    exercises: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class Slow:
    """A submission that took long to grade, and the exercise whose cases took most of it."""

    student: str
    seconds: float
    exercise: str
    longest: float


@dataclass(frozen=True)
class Decision:
    """Points that a person gave instead of the computed ones."""

    student: str
    exercise: str
    computed: float
    points: float
    max_score: float
    because: str
    made: str
    has_page: bool


def mistakes(results: Iterable[Record]) -> tuple[Mistake, ...]:
    """Return the misconceptions that were diagnosed, the most common first; a student counts once for each."""
    students: dict[tuple[str, str], dict[str, None]] = {}
    places: dict[tuple[str, str], dict[str, None]] = {}
    for result in graded(results):
        for exercise, case in cases([result]):
            for key in _named(case):
                students.setdefault(key, {})[result.student] = None
                places.setdefault(key, {})[exercise] = None
    found = (Mistake(*key, tuple(places[key]), tuple(who)) for key, who in students.items())
    return tuple(sorted(found, key=lambda mistake: (-len(mistake.students), mistake.name)))


def looks(results: Iterable[Record]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return by heading who needs a look, as (student, reason), most urgent heading first."""
    groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in REASONS.values()}
    for result in results:
        student = result.student
        if result.status != "graded":
            groups[REASONS[result.status]].append((student, result.problem or "No reason was given."))
        else:
            where: dict[str, dict[str, None]] = {}
            for exercise, case in cases([result]):
                where.setdefault(case.status, {})[f"`{exercise}`"] = None
            for status, heading in REASONS.items():
                if status in where:
                    groups[heading].append((student, ", ".join(where[status])))
        groups[REASONS["doubt"]] += [(student, doubt) for doubt in result.doubts]
        groups[REASONS["note"]] += [(student, note) for note in result.notes if note not in result.doubts]
    return {heading: tuple(rows) for heading, rows in groups.items() if rows}


def late(results: Iterable[Record]) -> tuple[Record, ...]:
    """Return who handed in late, the latest first, and then those of whom only that is known."""
    found = (result for result in results if result.late)
    return tuple(sorted(found, key=lambda result: -(result.late_hours or 0.0)))


def slowest(results: Iterable[Record]) -> tuple[Slow, ...]:
    """Return the submissions that took longest to grade."""
    most = sorted(results, key=lambda result: -result.seconds)[:SLOWEST]
    return tuple(map(_slow, most))


def typical_seconds(results: Sequence[Record]) -> float:
    """Return the median of what grading a submission took."""
    return statistics.median(result.seconds for result in results) if results else 0.0


def decisions(results: Iterable[Record]) -> tuple[Decision, ...]:
    """Return every exercise for which a person gave other points, by student."""
    found = ((r, e, e.override) for r in results for e in r.exercises if e.override)
    return tuple(
        Decision(
            student=result.student,
            exercise=exercise.name,
            computed=made.computed,
            points=made.points,
            max_score=exercise.max_score,
            because=made.because,
            made=made.made,
            has_page=result.status not in ("not_submitted", "not_graded"),
        )
        for result, exercise, made in found
    )


def _named(case: CaseResult) -> Iterator[tuple[str, str]]:
    """Yield (name, sentence) of each mistake behind a case; a choice between explanations stays whole."""
    reason = case.reason
    if not case.diagnosis or not isinstance(reason, Diagnosis):
        return
    if reason.is_only_one:
        yield from ((mistake.name, mistake.sentence) for mistake in reason.own or reason.alternatives[0])
    else:
        yield case.diagnosis, case.says


def _slow(result: Record) -> Slow:
    seconds: dict[str, float] = defaultdict(float)
    for exercise, case in cases([result]):
        seconds[exercise] += case.seconds
    name, longest = max(seconds.items(), key=lambda item: item[1], default=("", 0.0))
    return Slow(result.student, result.seconds, name, longest)
