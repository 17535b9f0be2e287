"""A gradebook of an earlier version is brought up to date, and says the same as before.

`gradebooks/first_0.1.0.sqlite` was written by the first build of 0.1.0 that had a gradebook: a class of nine in t1_means,
one more on the roster, and an override.
"""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autograder.classroom.gradebook import GradebookError
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.gradebook_versions import FILE, VERSION
from autograder.classroom.gradebook_view import records
from autograder.classroom.requests import Asked, answers, requests, take_in
from autograder.cli import app
from autograder.judge.reasons import Diagnosis

OLD = Path(__file__).parent / "gradebooks" / "first_0.1.0.sqlite"
SCORES = {
    "absent": 0, "both": 5, "broken": 0, "chain": 3, "crash": 2, "first": 5, "right": 7, "sign": 6.5, "unknown": 5,
    "unreadable": 0,
}  # fmt: skip
TOLD = ("name", "claim", "visibility", "status", "message", "diagnosis", "says", "seconds")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a graded folder of which only the old gradebook is left."""
    folder = tmp_path / "out"
    folder.mkdir()
    shutil.copy(OLD, folder / FILE)
    return folder


def stored(path: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the cases that an old gradebook stores, by student and exercise."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT student, name, entry FROM exercise").fetchall()
    return {(student, name): json.loads(entry)["cases"] for student, name, entry in rows}


def test_every_page_of_an_old_class_can_be_made_anew(out: Path) -> None:
    """`report` migrates; points, messages, diagnoses and their sentences are as they were."""
    done = CliRunner().invoke(app, ["report", str(out)])
    assert done.exit_code == 0, done.output
    with (out / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        assert {row["student"]: float(row["score"]) for row in csv.DictReader(file)} == SCORES
    for (student, name), cases in stored(OLD).items():
        result = json.loads((out / "results" / f"{student}.json").read_text(encoding="utf-8"))
        (exercise,) = [e for e in result["exercises"] if e["name"] == name]
        assert [{key: case[key] for key in TOLD} for case in exercise["cases"]] == [
            {key: case[key] for key in TOLD} for case in cases
        ]
    page = (out / "feedback" / "sign.html").read_text(encoding="utf-8")
    assert "The idea is right." in page
    with closing(sqlite3.connect(out / FILE)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_mistakes_made_together_are_told_apart(out: Path) -> None:
    """Version 1 stored one text for both."""
    with open_gradebook(out) as book:
        (both,) = records(book, ["both"])
        reason = both.exercises[0].cases[0].reason
        assert isinstance(reason, Diagnosis)
        assert [(mistake.name, mistake.sentence) for mistake in reason.alternatives[0]] == [
            ("divides_by_rows", "You divide by the number of rows."),
            ("skips_the_first", "Your sum leaves out the first entry."),
        ]


def test_an_old_class_can_be_graded_again(out: Path, tmp_path: Path, assignment: Any) -> None:
    """Another engine grades all anew, into the same gradebook; the override counts on."""
    (tmp_path / "class").mkdir()
    wrong = assignment.reference.replace("return x - means", "return means - x")
    (tmp_path / "class" / "sign.py").write_text(wrong)
    course = Path(__file__).parent / "course"
    run = [
        "grade",
        "t1_means",
        str(tmp_path / "class"),
        "-o",
        str(out),
        "--course",
        str(course),
        "--accept-unsandboxed",
        "--accept-mismatch",
    ]
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    result = json.loads((out / "results" / "sign.json").read_text(encoding="utf-8"))
    assert (result["score"], result["seed"]) == (6.5, 7)
    assert "8 graded before, but not among the latest submissions" in done.output


def test_a_migration_is_whole_or_not_at_all(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends in the middle leaves the old version, and the next one begins again."""
    before = stored(out / FILE)
    with monkeypatch.context() as patch:
        patch.setattr("autograder.classroom.gradebook_versions._case_2", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError), open_gradebook(out):
            pass
    assert stored(out / FILE) == before
    with open_gradebook(out) as book:
        assert len(list(records(book))) == 9


def test_answers_to_requests_outlive_version_3(out: Path) -> None:
    """It kept the latest answer in its request, and what followed replaced it."""
    with open_gradebook(out) as book:
        take_in(book, [Asked("sign", "center", "Why?", because="No."), Asked("sign", "spread", "Why?")])
    with closing(sqlite3.connect(out / FILE)) as db:
        tables = "".join(f"DROP TABLE {name};" for name in ("answer", "mark", "opened", "written", "replaced"))
        tables += "ALTER TABLE override DROP COLUMN rubric; ALTER TABLE override DROP COLUMN content;"
        tables += "ALTER TABLE override DROP COLUMN worth;"
        tables += "CREATE TABLE written (student TEXT PRIMARY KEY);"
        tables += "DELETE FROM exercise; ALTER TABLE exercise DROP COLUMN times; DROP TABLE entry;"
        db.executescript(f"{tables} PRAGMA user_version = 3;")
    with open_gradebook(out) as book:
        first, second = requests(book)
        assert answers(book, first.number) == (first.answer,)
        assert answers(book, second.number) == ()
        take_in(book, [Asked("sign", "center", "Why?", because="Yes.")])
        assert [one.because for one in answers(book, first.number)] == ["No.", "Yes."]


def test_a_decision_of_version_5_learns_what_its_exercise_was_worth(out: Path) -> None:
    """So a later change of the points is seen."""
    with open_gradebook(out) as book:
        decided = [(name, one.worth) for found in book.overrides().values() for name, one in found.items()]
        assert decided == [(name, book.points[name]) for name, _ in decided] != []


def test_a_gradebook_of_a_later_version_is_refused(out: Path) -> None:
    """Nothing is written into what this version does not know."""
    with closing(sqlite3.connect(out / FILE)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(GradebookError, match=r"is of a newer autograder\. Use that one"), open_gradebook(out):
        pass
