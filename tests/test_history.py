"""Every score that changes is written down with its cause, and no regrading surprises anyone."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom import history
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_lock import open_for, open_gradebook
from autograder.classroom.gradebook_versions import FILE
from autograder.classroom.gradebook_view import records
from autograder.classroom.history import Cause, Change
from autograder.classroom.record import Graded
from autograder.classroom.result_keys import Basis
from autograder.classroom.shards import take_over
from autograder.classroom.still_to_grade import Choices, make_plan
from autograder.classroom.stored_result import finished
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.pages.class_changes import changed_line, rounds_of
from autograder.sandbox.job import Chunk, Isolation, Source

ISOLATION = Isolation("A", ("namespaces",), ())
NAMES = ("row_means", "center", "spread")
FIRST = Basis("", "0.1.0", "python 3.11", 7, "as drawn")


@pytest.fixture
def book(tmp_path: Path, assignment: Assignment) -> Iterator[Gradebook]:
    """Return an empty gradebook, which Kim uses."""
    with open_gradebook(tmp_path / "out", assignment) as opened:
        opened.describe(assignment, 7)
        opened.who = "kim"
        yield opened


def save(book: Gradebook, score: float, basis: Basis = FIRST, text: str = "x = 1", **more: Any) -> list[Change]:
    """Grade ada, every exercise alike, and return what that changed in the first of them."""
    status = more.pop("status", Status.PASSED)
    case = CaseResult("a_case", "A claim.", Visibility.PUBLIC, status)
    exercises = tuple(ExerciseResult(name, score, 3.0, (case,)) for name in NAMES)
    ada = Submission("ada", "ada.py", Source("means", (Chunk("means.py", text),)))
    keys = {name: f"{basis.engine} {basis.libraries} {basis.seed} {basis.content} {name}" for name in NAMES}
    with book.db:
        history.begin_round(book.db)
        history.note_bases(book.db, [replace(basis, key=key) for key in keys.values()])
    graded = Graded(ada, Result("t1_means", exercises), ISOLATION, 0.1)
    book.save(finished(graded), keys, frozenset(NAMES), book.begin(ISOLATION), **more)
    assert [record.exercises[0].score for record in records(book)] == [
        history.standings(book.db, "ada")["row_means"].score
    ]
    found = history.changes(book.db, history.current_round(book.db))
    return [change for change in found if change.exercise == "row_means"]


@pytest.mark.parametrize(
    ("now", "text", "causes"),
    [
        (FIRST, "x = 2", (Cause.RESUBMISSION,)),
        (replace(FIRST, content="another weight"), "x = 1", (Cause.CASE,)),
        (replace(FIRST, engine="0.2.0"), "x = 1", (Cause.ENGINE,)),
        (replace(FIRST, libraries="python 3.12"), "x = 1", (Cause.ENGINE,)),
        (replace(FIRST, seed=8, content="drawn otherwise"), "x = 1", (Cause.SEED,)),
        (replace(FIRST, engine="0.2.0", content="another weight"), "x = 2", (Cause.RESUBMISSION, Cause.ENGINE, Cause.CASE)),
        (FIRST, "x = 1", (Cause.AGAIN,)),
    ],
)  # fmt: skip
def test_the_cause_follows_from_the_keys(book: Gradebook, now: Basis, text: str, causes: tuple[Cause, ...]) -> None:
    """A first result is no change; the next one says what is not as it was."""
    assert save(book, 2.0) == []
    (change,) = save(book, 1.0, now, text)
    assert (change.old, change.new, change.by, change.who, change.causes) == (2.0, 1.0, -1.0, "kim", causes)


def test_our_own_failure_is_a_cause(book: Gradebook) -> None:
    """When it takes the points, and when the next run gives them back."""
    save(book, 2.0)
    (lost,) = save(book, 0.0, status=Status.GRADER_ERROR)
    (back,) = save(book, 2.0)
    assert (lost.causes, lost.by, back.causes, back.by) == ((Cause.FAILURE,), -2.0, (Cause.FAILURE,), 2.0)


def test_a_decision_is_a_change_of_its_own(book: Gradebook) -> None:
    """While it stands, grading again changes no score; each row begins where the one before it ended."""
    save(book, 2.0)
    book.override("ada", "row_means", 3.0, "Right idea.")
    assert save(book, 1.0, replace(FIRST, content="other")) == []
    book.override("ada", "row_means", None, "")
    told = [(c.old, c.new, c.causes, c.because) for c in history.changes(book.db) if c.exercise == "row_means"]
    assert told == [(2.0, 3.0, (Cause.PERSON,), "Right idea."), (3.0, 1.0, (Cause.PERSON,), "")]


def test_points_are_kept_for_the_same_code_only(book: Gradebook) -> None:
    """They stay over later gradings; what gives more counts, and so does other code whatever it gives."""
    other = [replace(FIRST, content=f"version {number}") for number in range(5)]
    save(book, 2.0)
    assert save(book, 1.0, other[0], never_lower=True) == []
    assert history.kept_in(book.db, history.current_round(book.db)) == 3
    assert save(book, 0.5, other[1]) == []
    (record,) = records(book)
    assert record.exercises[0].kept
    assert (record.exercises[0].kept.points, record.exercises[0].kept.computed) == (2.0, 0.5)
    assert [change.new for change in save(book, 2.5, other[2])] == [2.5]
    assert [change.new for change in save(book, 1.5, other[3], "x = 2", never_lower=True)] == [1.5]


def test_merging_shards_again_tells_what_changed(book: Gradebook, tmp_path: Path) -> None:
    """The whole class's history is of its own scores."""
    save(book, 2.0)
    with open_for("t1_means", tmp_path / "whole") as whole:
        take_over(whole, book)
        assert history.changes(whole.db) == ()
        save(book, 1.0, replace(FIRST, content="other"))
        take_over(whole, book)
        assert [(c.old, c.new, c.causes) for c in history.changes(whole.db)] == [(2.0, 1.0, (Cause.CASE,))] * 3


def test_a_seed_is_kept_before_anything_is_graded(tmp_path: Path, assignment: Assignment) -> None:
    """A run may be killed while the reference is asked for its answers."""
    broken = replace(assignment, reference="this is no Python")
    work = Submission("ada", "ada.py", Source("means", (Chunk("means.py", "x = 1"),)))
    with open_gradebook(tmp_path / "out", assignment) as book:
        with pytest.raises(Exception, match="invalid syntax"):
            make_plan(book, broken, [work], Choices(seed=12))
        assert make_plan(book, assignment, [work], Choices()).oracle.seed == 12


def test_what_changed_in_one_line_and_by_exercise() -> None:
    """Singular and plural; what fell most is first."""
    assert changed_line(0, 0) == "no score changed"
    assert changed_line(1, 0) == "1 score changed, none went down"
    assert changed_line(3, 2, would=True) == "3 scores would change, 2 would go down"
    why, when = (Cause.CASE,), "2026-03-01T10:00:00+00:00"
    made = [Change(f"s{n}", "center", 2.0, 2.0 + n, why, "kim", when, 1) for n in (1, -2, 3)]
    decided = Change("s9", "spread", None, 1.0, (Cause.PERSON,), "kim", when)
    (latest, persons) = rounds_of([decided, *made])
    assert [change.student for change in latest.changes] == ["s-2", "s1", "s3"]
    assert (latest.line, latest.exercises[0].up, latest.exercises[0].down) == ("3 scores changed, 1 went down", 2, 1)
    assert (persons.number, persons.changes) == (0, (decided,))


def rows(out: Path) -> list[dict[str, str]]:
    """Return the rows of changes.csv."""
    with (out / "changes.csv").open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_a_preview_shows_what_grading_then_writes(cli: Any, course_copy: Path, tmp_path: Path, edited: Any) -> None:
    """A case weighs more: the preview says who falls and writes nothing; the same command then does it, or keeps points."""
    out, works = tmp_path / "graded", tmp_path / "class"
    works.mkdir()
    (works / "ada.py").write_text(edited(row_means="return x.sum(axis=1) / x.shape[-1]"))
    (works / "bob.py").write_text(edited())
    run = ("grade", "t1_means", works, "-o", out, "--course", course_copy, "--accept-unsandboxed")
    code, _, told = cli(*run, "--preview")
    assert (code, "holds no graded class" in told) == (2, True)
    assert not out.exists()
    cli(*run)
    assert rows(out) == []
    cases = course_copy / "solutions" / "t1_means" / "cases.py"
    cases.write_text(cases.read_text().replace("weight=3", "weight=30"))
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    code, told, _ = cli(*run, "--preview")
    assert code == 0
    assert "would go down" in told
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    code, told, _ = cli(*run, "--never-lower", "--json")
    done = json.loads(told.splitlines()[-1])
    assert done["changed"] == len(rows(out))
    assert done["went_down"] == 0
    kept = json.loads((out / "results" / "ada.json").read_text())["exercises"][0]["kept"]
    assert kept["points"] > kept["computed"]
    assert "points stay" in (out / "feedback" / "ada.html").read_text()


def test_no_decision_counts_above_what_the_exercise_is_worth_now(
    cli: Any, course_copy: Path, tmp_path: Path, edited: Any
) -> None:
    """Preview and grading name decisions that were made for other points, until a person decides again."""
    out, works, asked = tmp_path / "graded", tmp_path / "class", tmp_path / "asked.csv"
    works.mkdir()
    (works / "ada.py").write_text(edited(spread="return 0 * x", center="return 0 * x"))
    (works / "bob.py").write_text(edited())
    run = ("grade", "t1_means", works, "-o", out, "--course", course_copy, "--accept-unsandboxed")
    cli(*run)
    cli("override", "ada", "center", "1", "--because", "Half.", "-o", out)
    asked.write_text("student,exercise,asks,points,because\nada,spread,Why?,3,All of it.\n")
    assert cli("requests", asked, "-o", out, "--course", course_copy, "--accept-unsandboxed")[0] == 0
    assert "worth other points" not in cli(*run)[2]
    (course_copy / "course.toml").write_text("[assignment.t1_means]\npoints = {spread = 2, center = 5}\n")
    code, _, told = cli(*run, "--preview")
    assert (code, "2 decisions were made when" in told) == (0, True)
    assert "ada, spread: 2 of 2 points, decided when it was worth 3\n" in told
    assert "ada, center: 1 of 5 points, decided when it was worth 2\n" in told
    assert "2 decisions were made when" in cli(*run)[2]
    result = json.loads((out / "results" / "ada.json").read_text())
    assert [(e["score"], e["max_score"]) for e in result["exercises"]] == [(2, 2), (1, 5), (2, 2)]
    assert result["exercises"][2]["override"]["points"] == 2
    assert (rows(out)[-1]["exercise"], rows(out)[-1]["cause"], rows(out)[-1]["new"]) == ("spread", "case", "2.0")
    assert "decided when it was worth 3" in (out / "report.html").read_text()
    assert cli("requests", "-o", out, "--course", course_copy, "--accept-unsandboxed")[0] == 0
    cli("override", "ada", "center", "1", "--because", "Half.", "-o", out)
    done = json.loads(cli(*run, "--json")[1].splitlines()[-1])
    assert done["decided_for_other_points"] == ["ada, spread: 2 of 2 points, decided when it was worth 3"]


def test_a_gradebook_without_a_history_gets_one(cli: Any, tmp_path: Path) -> None:
    """What was graded by the first build of 0.1.0 is the beginning; a decision is the first row."""
    old = Path(__file__).parent / "gradebooks" / "first_0.1.0.sqlite"
    (tmp_path / FILE).write_bytes(old.read_bytes())
    code, _, _ = cli("override", "sign", "center", "1", "--because", "So.", "--by", "kim", "-o", tmp_path)
    assert code == 0
    (row,) = rows(tmp_path)
    assert (row["student"], row["new"], row["cause"], row["who"]) == ("sign", "1.0", "person", "kim")
    assert "Decided by persons" in (tmp_path / "report.html").read_text()
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT count(*) FROM basis").fetchone()[0] > 0
