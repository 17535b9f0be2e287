"""What a run leaves on disk: one JSON file a student, and the class as CSV."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autograder.batch.submissions import Submission
from autograder.course.spec import Assignment, Status
from autograder.judge.result import Result
from autograder.sandbox.job import Isolation

SCHEMA = 1
# A spreadsheet runs a cell that starts with one of these; a leading quote makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def record(
    assignment: Assignment, submission: Submission, result: Result, isolation: Isolation, seed: int, seconds: float
) -> dict[str, Any]:
    """Return a student's result as it stands in results/STUDENT.json."""
    return {
        "schema": SCHEMA,
        "assignment": assignment.slug,
        "title": assignment.title,
        "student": submission.student,
        "origin": submission.origin,
        "score": result.score,
        "max_score": result.max_score,
        "status": _status(submission, result),
        "problem": submission.problem or result.problem,
        "notes": [*submission.notes, *result.notes],
        "seed": seed,
        "seconds": round(seconds, 3),
        "isolation": asdict(isolation),
        "exercises": [
            {
                "name": exercise.name,
                "score": exercise.score,
                "max_score": exercise.max_score,
                "status": exercise.status,
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
                    }
                    for case in exercise.cases
                ],
            }
            for exercise in result.exercises
        ],
    }


def _status(submission: Submission, result: Result) -> str:
    """Say how the submission as a whole ended, in one word for the grade sheet."""
    if submission.source is None:
        return "unreadable"
    if any(case.status is Status.GRADER_ERROR for exercise in result.exercises for case in exercise.cases):
        return "grader_error"
    return "not_importable" if result.problem else "graded"


def write_record(out: Path, entry: Mapping[str, Any]) -> None:
    """Write one result so that a reader never sees half of it."""
    path = out / "results" / f"{entry['student']}.json"
    write_whole(path, json.dumps(entry, indent=1, ensure_ascii=False))


def read_records(out: Path) -> list[dict[str, Any]]:
    """Return the results of a run, sorted by student."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((out / "results").glob("*.json"))]


def write_grades(out: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """Write grades.csv: a row a student, a column an exercise."""
    path = out / "grades.csv"
    exercises = list(dict.fromkeys(e["name"] for entry in records for e in entry["exercises"]))
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "score", "max_score", "status", *exercises])
        for entry in records:
            scores = {e["name"]: e["score"] for e in entry["exercises"]}
            row = [entry["student"], entry["score"], entry["max_score"], entry["status"]]
            rows.writerow([_inert(cell) for cell in [*row, *(scores.get(name, 0) for name in exercises)]])
    return path


def write_whole(path: Path, text: str) -> None:
    """Write a file by renaming a finished one into its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", errors="replace")
    draft.replace(path)


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
