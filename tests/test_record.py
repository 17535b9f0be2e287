"""A record has the promised form, and nothing in it that a student may not see."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.classroom.record import record
from autograder.classroom.record_json import told_record
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.reasons import Diagnosis, Message, Mistake
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.sandbox.job import Chunk, Isolation, Source

ISOLATION = Isolation("A", ("namespaces", "rlimits"), ("none worth telling",))
SUBMISSION = Submission("s017", "s017.py", Source("means", (Chunk("means.py", ""),)), notes=("It came late.",))


def result(status: Status = Status.FAILED, problem: str = "") -> Result:
    """Return a result of one exercise with one case."""
    case = CaseResult(
        "two_rows",
        "A claim.",
        Visibility.PUBLIC,
        status,
        Message("A message."),
        Diagnosis("row_means", ((Mistake("no_scale", "row_means", "A sentence."),),)),
        0.00204,
        grader_note="for graders",
    )
    return Result("t1_means", (ExerciseResult("row_means", 0.5, 2.0, (case,)),), problem, "printed", ("A cell.",))


def entry(assignment: Assignment, submission: Submission = SUBMISSION, graded: Result | None = None) -> dict[str, Any]:
    """Return a record as results tell it."""
    return told_record(record(assignment, submission, graded or result(), ISOLATION, 7, 1.23456))


def test_a_record_has_the_promised_form(assignment: Assignment) -> None:
    """Names that others rely on, and plain values."""
    found = json.loads(json.dumps(entry(assignment)))
    assert {
        key: found[key] for key in ("schema", "assignment", "student", "score", "max_score", "status", "isolation")
    } == {
        "schema": 1,
        "assignment": "t1_means",
        "student": "s017",
        "score": 0.5,
        "max_score": 2.0,
        "status": "graded",
        "isolation": {
            "level": "A",
            "mechanisms": ["namespaces", "rlimits"],
            "residual_risks": ["none worth telling"],
            "missing": [],
        },
    }
    (exercise,) = found["exercises"]
    assert (exercise["name"], exercise["score"], exercise["max_score"]) == ("row_means", 0.5, 2.0)
    (case,) = exercise["cases"]
    assert {key: case[key] for key in ("name", "visibility", "status", "message", "diagnosis", "seconds")} == {
        "name": "two_rows",
        "visibility": "public",
        "status": "FAILED",
        "message": "A message.",
        "diagnosis": "no_scale",
        "seconds": 0.002,
    }
    assert found["notes"] == ["It came late.", "A cell."]


def test_what_is_for_graders_only_is_not_in_a_students_file(assignment: Assignment) -> None:
    """Prints and texts of hidden cases stay out of results."""
    assert "for graders" not in json.dumps(entry(assignment))


@pytest.mark.parametrize(
    ("submission", "graded", "status"),
    [
        (SUBMISSION, result(), "graded"),
        (SUBMISSION, result(Status.PASSED), "graded"),
        (SUBMISSION, result(Status.CRASHED, "no import"), "not_importable"),
        (SUBMISSION, result(Status.GRADER_ERROR), "grader_error"),
        (SUBMISSION, result(Status.GRADER_ERROR, "ours"), "grader_error"),
        (Submission("s1", "s1.zip", None, "It is no zip."), result(Status.MISSING), "unreadable"),
    ],
)
def test_the_status_of_a_submission_is_one_word(
    assignment: Assignment, submission: Submission, graded: Result, status: str
) -> None:
    """How it ended as a whole, for the grade sheet."""
    assert entry(assignment, submission, graded)["status"] == status
