"""A student's result in the form of results/STUDENT.json; `result.schema.json` describes it.

A record is put together from what is known of a submission (`head`), of each exercise (`exercise_entry`), and what a
person has decided since. Everything in it is plain data, and nothing of hidden cases is in it that students may not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from autograder.classroom.roster import lateness
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status
from autograder.judge.picture import as_json
from autograder.judge.result import ExerciseResult, Result
from autograder.sandbox.job import Isolation
from autograder.submission.archives import printable

SCHEMA = 1
NOT_SUBMITTED = "not_submitted"  # the status of somebody on the roster who handed in nothing
NOT_GRADED = "not_graded"  # the status of somebody whose work is there, and still to be graded

Json = dict[str, Any]


@dataclass(frozen=True)
class Override:
    """Points that a person gave for an exercise instead of the computed ones, and why."""

    points: float
    because: str
    made: str  # when, in ISO 8601


@dataclass(frozen=True)
class Graded:
    """What grading one submission came to."""

    submission: Submission
    result: Result
    isolation: Isolation
    seconds: float


@dataclass(frozen=True)
class Run:
    """What all results of a grading have in common."""

    assignment: str
    title: str
    seed: int


def head(submission: Submission, due: datetime | None = None) -> Json:
    """Return what is known of a submission before it is graded."""
    person = submission.person
    when = lateness(submission.submitted, due, person.extension if person else "", marked=submission.late)
    return {
        "origin": submission.origin,
        "problem": submission.problem,
        "notes": list(submission.notes),
        "doubts": list(submission.doubts),
        "readable": submission.source is not None,
        "person": asdict(person) if person else None,
        "lms": {
            "system": submission.owner.system,
            "name": printable(submission.owner.name),
            "number": submission.owner.number,
            "place": submission.place,
        },
        "submitted": when.submitted.isoformat() if when.submitted else None,
        "due": when.due.isoformat() if when.due else None,
        "late": when.late,
        "late_hours": when.hours,
    }


def exercise_entry(exercise: ExerciseResult) -> Json:
    """Return one exercise's part of a record."""
    return {
        "name": exercise.name,
        "score": exercise.score,
        "max_score": exercise.max_score,
        "status": exercise.status,
        "override": None,
        **({"device": exercise.device} if exercise.device else {}),
        "cases": [
            {
                "name": case.name,
                "claim": case.claim,
                "visibility": case.visibility,
                "status": case.status,
                "message": case.message,
                "diagnosis": case.diagnosis,
                "says": case.says,
                "seconds": round(case.seconds, 4),
                "picture": as_json(case.picture),
            }
            for case in exercise.cases
        ],
    }


def compose(
    run: Run,
    student: str,
    known: Mapping[str, Any],
    graded: Mapping[str, Any],
    exercises: Sequence[Json],
    overrides: Mapping[str, Override],
) -> Json:
    """Put a record together. `graded` holds the problem, notes, seconds and isolation of a grading."""
    final = [_overridden(entry, overrides.get(entry["name"])) for entry in exercises]
    statuses = {case["status"] for entry in final for case in entry["cases"]}
    return {
        "schema": SCHEMA,
        "assignment": run.assignment,
        "title": run.title,
        "student": student,
        "origin": known["origin"],
        "score": round(sum(entry["score"] for entry in final), 2),
        "max_score": round(sum(entry["max_score"] for entry in final), 2),
        "status": _status(statuses, readable=known["readable"], problem=graded["problem"]),
        "problem": known["problem"] or graded["problem"],
        "notes": [*known["notes"], *graded["notes"]],
        "doubts": known.get("doubts", []),  # not in gradebooks of earlier versions
        "person": known["person"],
        "lms": known["lms"],
        "submitted": known["submitted"],
        "due": known["due"],
        "late": known["late"],
        "late_hours": known["late_hours"],
        "seed": run.seed,
        "seconds": round(graded["seconds"], 3),
        "isolation": graded["isolation"],
        "exercises": final,
    }


def record(
    assignment: Assignment, submission: Submission, result: Result, isolation: Isolation, seed: int, seconds: float
) -> Json:
    """Return the record of a submission that was just graded."""
    graded = {"problem": result.problem, "notes": result.notes, "seconds": seconds, "isolation": asdict(isolation)}
    run = Run(assignment.slug, assignment.title, seed)
    return compose(run, submission.student, head(submission), graded, [*map(exercise_entry, result.exercises)], {})


def absent(run: Run, person: Mapping[str, Any], points: Mapping[str, float], overrides: Mapping[str, Override]) -> Json:
    """Return the line of somebody who handed in nothing; what a person decided counts nevertheless."""
    known = head(Submission(person["student"], "", None)) | {"person": person["person"]}
    return _without_result(run, person["student"], known, points, overrides) | {"status": NOT_SUBMITTED}


def ungraded(
    run: Run, student: str, known: Mapping[str, Any], points: Mapping[str, float], overrides: Mapping[str, Override]
) -> Json:
    """Return the line of somebody whose work waits: no points, rather than none of the points."""
    found = _without_result(run, student, known, points, overrides)
    exercises = [entry if entry["override"] else {**entry, "score": None} for entry in found["exercises"]]
    return found | {"status": NOT_GRADED, "score": None, "exercises": exercises}


def _without_result(
    run: Run, student: str, known: Mapping[str, Any], points: Mapping[str, float], overrides: Mapping[str, Override]
) -> Json:
    entries: list[Json] = [
        {"name": name, "score": 0.0, "max_score": most, "status": Status.MISSING, "override": None, "cases": []}
        for name, most in points.items()
    ]
    graded = {"problem": "", "notes": (), "seconds": 0.0, "isolation": None}
    return compose(run, student, known, graded, entries, overrides)


def _overridden(entry: Json, override: Override | None) -> Json:
    if override is None:
        return entry
    return {**entry, "score": override.points, "override": {**asdict(override), "computed": entry["score"]}}


def _status(statuses: set[str], *, readable: bool, problem: str) -> str:
    """Say how the submission as a whole ended, in one word for the grade sheet."""
    if not readable:
        return "unreadable"
    if Status.GRADER_ERROR in statuses:
        return "grader_error"
    return "not_importable" if problem else "graded"
