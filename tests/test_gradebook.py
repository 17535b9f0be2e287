"""What a run leaves on disk: whole files, in the promised form, that no spreadsheet will execute."""

from __future__ import annotations

import csv
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from autograder.batch.gradebook import read_records, record, write_grades, write_record, write_whole
from autograder.batch.submissions import Submission
from autograder.course.spec import Assignment, Status, Visibility
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
        "A message.",
        "no_scale",
        "A sentence.",
        0.00204,
        "for graders",
    )
    return Result("t1_means", (ExerciseResult("row_means", 0.5, 2.0, (case,)),), problem, "printed", ("A cell.",))


def entry(assignment: Assignment, submission: Submission = SUBMISSION, graded: Result | None = None) -> dict[str, Any]:
    """Return a record."""
    return record(assignment, submission, graded or result(), ISOLATION, 7, 1.23456)


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


def test_records_come_back_by_student(assignment: Assignment, tmp_path: Path) -> None:
    """Sorted, and as they were written, accents and lone surrogates included."""
    for student in ("s2", "Ärger", "s1"):
        write_record(tmp_path, {**entry(assignment), "student": student, "problem": "\ud800 broken"})
    assert [r["student"] for r in read_records(tmp_path)] == ["s1", "s2", "Ärger"]
    assert read_records(tmp_path)[0]["problem"] == "? broken"


def rows(path: Path) -> list[list[str]]:
    """Read a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_grades_have_a_row_a_student_and_a_column_an_exercise(assignment: Assignment, tmp_path: Path) -> None:
    """The header is part of the contract."""
    graded = Result("t1_means", (*result().exercises, ExerciseResult("center", 2.0, 2.0, ())))
    records = [
        entry(assignment, graded=graded),
        {**entry(assignment), "student": "s018", "exercises": [], "score": 0.0},
    ]
    assert rows(write_grades(tmp_path, records)) == [
        ["student", "score", "max_score", "status", "row_means", "center"],
        ["s017", "2.5", "4.0", "graded", "0.5", "2.0"],
        ["s018", "0.0", "2.0", "graded", "0", "0"],
    ]


def test_a_class_of_nobody_has_a_header(tmp_path: Path) -> None:
    """No submissions, no rows."""
    assert rows(write_grades(tmp_path, [])) == [["student", "score", "max_score", "status"]]


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=1\n=2"])
def test_names_are_text_to_a_spreadsheet(assignment: Assignment, tmp_path: Path, name: str) -> None:
    """A cell that would be a formula begins with a quote."""
    path = write_grades(tmp_path, [{**entry(assignment), "student": name}])
    assert rows(path)[1][0] == f"'{name}"


@pytest.mark.parametrize("name", ['a "quoted", name', "two\nlines", "semi;colon", "Zoë"])
def test_names_survive_the_csv(assignment: Assignment, tmp_path: Path, name: str) -> None:
    """Quotes, commas and line ends come back."""
    assert rows(write_grades(tmp_path, [{**entry(assignment), "student": name}]))[1][0] == name


def test_numbers_stay_numbers(assignment: Assignment, tmp_path: Path) -> None:
    """A score is not quoted, even below zero."""
    assert rows(write_grades(tmp_path, [{**entry(assignment), "score": -1.5}]))[1][1] == "-1.5"


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """Whoever reads while it is written sees the old text or the new one, and nothing else is left."""
    path = tmp_path / "deep" / "file.json"
    texts = ["a" * 100_000, "b" * 100_000]
    write_whole(path, texts[0])
    stop = threading.Event()

    def write() -> None:
        for i in range(200):
            write_whole(path, texts[i % 2])
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not stop.is_set():
        assert path.read_text(encoding="utf-8") in texts
    writer.join()
    assert list(path.parent.iterdir()) == [path]
