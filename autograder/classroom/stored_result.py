"""What grading a submission came to, as a gradebook stores it.

The process that graded the submission makes it, on a cluster a worker. So the process that writes the gradebook only inserts rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from autograder.classroom.record import Graded, exercise_record
from autograder.classroom.record_json import stored_exercise
from autograder.classroom.result_keys import digest
from autograder.classroom.stored_source import packed
from autograder.classroom.submissions import Submission
from autograder.course.spec import Status
from autograder.judge.result import ExerciseResult
from autograder.sandbox.job import Isolation


@dataclass(frozen=True)
class StoredExercise:
    """One exercise; `entry` is its record as text, `times` those of its cases, and `ours` says that grading failed on our side."""

    name: str
    score: float | None
    max_score: float
    status: Status
    entry: str
    digest: str  # of the entry
    times: str
    ours: bool


@dataclass(frozen=True)
class StoredResult:
    """All that was found, and the code that it was found in, packed."""

    problem: str
    notes: tuple[str, ...]
    seconds: float
    code: bytes | None
    exercises: tuple[StoredExercise, ...]


@dataclass(frozen=True)
class Finished:
    """A submission with its result, ready to be written down."""

    submission: Submission
    result: StoredResult
    isolation: Isolation


def finished(graded: Graded) -> Finished:
    """Return what grading one submission came to, ready to be written down."""
    return Finished(graded.submission, stored_result(graded), graded.isolation)


def stored_result(graded: Graded) -> StoredResult:
    """Return a result as a gradebook stores it."""
    result = graded.result
    exercises = tuple(map(_stored, result.exercises))
    return StoredResult(result.problem, result.notes, graded.seconds, packed(graded.submission.source), exercises)


def _stored(exercise: ExerciseResult) -> StoredExercise:
    record = exercise_record(exercise)
    entry = stored_exercise(record)
    ours = any(case.status is Status.GRADER_ERROR for case in record.cases)
    about = (record.name, record.score, record.max_score, record.status)
    return StoredExercise(*about, entry, digest(entry), json.dumps(exercise.times), ours)
