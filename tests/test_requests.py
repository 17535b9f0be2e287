"""Requests for a regrade: read from a CSV, run again, decided by a person, and answered in the student's feedback."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.code_lines import excerpts
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.requests import answers, requests
from autograder.course.spec import Exercise
from autograder.sandbox.job import Chunk, Source

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def out(cli: Any, course: Path, tmp_path: Path, edited: Any) -> Path:
    """Return a graded class: ada adds the mean, bob has all right, zoe handed in nothing."""
    works, roster = tmp_path / "class", tmp_path / "roster.csv"
    works.mkdir()
    (works / "ada.py").write_text(edited(center="return x + as_columns(row_means(x))"))
    (works / "bob.py").write_text(edited())
    roster.write_text("id,email\nada,ada@x.org\nbob,bob@x.org\nzoe,zoe@x.org\n")
    run = ("-o", tmp_path / "out", "--course", course, "--accept-unsandboxed", "--roster", roster)
    assert cli("grade", "t1_means", works, *run)[0] == 0
    return tmp_path / "out"


@pytest.fixture
def ask(cli: Any, course: Path, out: Path, tmp_path: Path) -> Ask:
    """Return a function that hands a sheet of requests to the command, or the class's own."""

    def of(text: str = "", *options: object) -> tuple[int, str, str]:
        sheet = tmp_path / "asked.csv"
        sheet.write_text(text)
        return cli(
            "requests", *([sheet] if text else []), "-o", out, "--course", course, "--accept-unsandboxed", *options
        )

    return of


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fill_in(out: Path, *decisions: tuple[str, str]) -> None:
    """Fill decisions into the class's sheet, as a person does."""
    found = rows(out / "requests.csv")
    for row, (points, because) in zip(found, decisions, strict=True):
        row["points"], row["because"] = points, because
    with (out / "requests.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0], delimiter=";")  # as a spreadsheet may save it
        writer.writeheader()
        writer.writerows(found)


ASKED = "Email,Exercise,Message\nada@x.org,center,Why is that wrong?\nada,spread,=2+2\nzoe@x.org,center,I was ill.\n"


def test_a_request_from_csv_to_feedback(ask: Ask, out: Path) -> None:
    """What was found says no input; a decision is in the feedback, the results, the history and the report."""
    code, said, _ = ask(ASKED)
    assert code == 0
    assert "3 new, 3 to be decided, 0 decided" in said
    first, second, third = rows(out / "requests.csv")
    assert "FAILED. You add the mean" in first["found"]
    assert "array" not in first["found"]
    assert second["asks"] == "'=2+2"
    assert "handed in nothing" in third["found"]
    assert "It is not decided yet." in (out / "feedback" / "ada.html").read_text()
    fill_in(out, ("1.5", "The sign slipped, the idea is right."), ("", "=No."), ("", "Ask for an extension."))
    assert "0 new, 0 to be decided, 3 decided" in ask("", "--by", "kim")[1]
    page = (out / "feedback" / "ada.html").read_text()
    assert "The sign slipped, the idea is right." in page
    assert page.count("The sign slipped") == 1
    assert "the points stay" in page
    result = json.loads((out / "results" / "ada.json").read_text())
    assert [one["points"] for one in result["requests"]] == [1.5, None]
    assert result["exercises"][1]["score"] == 1.5
    (change,) = rows(out / "changes.csv")
    assert (change["cause"], change["who"], change["new"]) == ("person", "kim", "1.5")
    assert "0 to be decided, 3 decided" in (out / "report.html").read_text()


def test_a_request_waits_again_when_its_decision_is_withdrawn(ask: Ask, cli: Any, out: Path) -> None:
    """A page would else speak of points beside others; what was decided stays written down."""
    ask(ASKED)
    fill_in(out, ("1.5", "The sign slipped."), ("", "No."), ("", "Ask for an extension."))
    assert "0 to be decided, 3 decided" in ask()[1]
    assert cli("override", "ada", "center", "--withdraw", "-o", out)[0] == 0
    page = (out / "feedback" / "ada.html").read_text()
    assert "It is not decided yet." in page
    assert "The sign slipped." not in page
    assert "1 to be decided, 2 decided" in ask()[1]  # although its sheet says so still
    assert [row["because"] for row in rows(out / "requests.csv")] == ["", "No.", "Ask for an extension."]
    with open_gradebook(out) as book:
        assert [one.points for one in answers(book, 1)] == [1.5, None]


def test_the_same_again_changes_nothing(ask: Ask, out: Path) -> None:
    """Reading a sheet twice asks nothing twice and decides nothing twice; a decision may be changed."""
    ask(ASKED)
    fill_in(out, ("1", "Half."), ("", "No."), ("", "No."))
    ask(ASKED)
    before = (out / "requests.csv").read_bytes()
    assert "0 new" in ask(ASKED)[1]
    assert (out / "requests.csv").read_bytes() == before
    assert len(rows(out / "changes.csv")) == 1
    fill_in(out, ("2", "All of it."), ("", "No."), ("", "No."))
    ask()
    assert [row["new"] for row in rows(out / "changes.csv")] == ["1.0", "2.0"]


SLIPS = {
    "student,exercise\nada,center\n": "names no column asks",
    "student,exercise,asks\nada,center,So.\neve,center,So.\n": "line 3: There is no student eve",
    "student,exercise,asks\nada,centre,So.\n": "line 2: There is no exercise centre. Did you mean center?",
    "student,exercise,asks\nada,center,\n": "line 2: the request is empty",
    "student,exercise,asks,points\nada,center,So.,1\n": "line 2: there are points, but no reason",
    "student,exercise,asks,points,because\nada,center,So.,9,So.\n": "is worth 0 to 2",
    "student,exercise,asks,points,because\nada,center,So.,nan,So.\n": "is worth 0 to 2",
    "number,student,exercise,asks\n7,ada,center,So.\n": "there is no request with the number 7",
}


def test_a_sheet_with_a_slip_is_refused_whole(ask: Ask, out: Path) -> None:
    """In a line that says where; nothing of it is taken in."""
    for text, words in SLIPS.items():
        code, _, told = ask(text)
        assert (code, words in told, told.endswith("Nothing was taken in.\n")) == (2, True, True), told
    with open_gradebook(out) as book:
        assert requests(book) == ()


def test_a_stopped_command_goes_on(ask: Ask, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is kept, and only the rest is run again."""
    from autograder.classroom import appeal

    looked, real = list[str](), appeal.look_again

    def stops(cases: Any, *others: Any, **more: Any) -> Any:
        looked.append(cases[0].exercise)
        if len(looked) == 2:
            raise OSError("the machine goes down")
        return real(cases, *others, **more)

    monkeypatch.setattr(appeal, "look_again", stops)
    assert ask(ASKED)[0] == 2
    assert "3 to be decided" in ask()[1]
    assert looked == ["center", "spread", "spread"]


def test_explain_takes_no_exercise_and_shows_code(cli: Any, out: Path, course: Path) -> None:
    """All exercises that do not pass, each with what the student wrote."""
    run = ("-o", out, "--course", course, "--accept-unsandboxed")
    code, said, _ = cli("explain", "ada", *run)
    assert code == 0
    assert "ada, center" in said
    assert "ada, row_means" not in said
    assert "return x + as_columns(row_means(x))" in said
    code, said, _ = cli("explain", "ada", *run, "--json")
    (center, *_) = json.loads(said)["exercises"]
    assert center["code"][0]["text"].startswith("def center(")
    assert "bob: every exercise passes" in cli("explain", "bob", *run)[1]


def test_the_code_of_an_exercise() -> None:
    """Functions and methods with their decorators, from files and cells; of two definitions the last one."""
    text = '''@cache
def first(
    x,
):
    """Text.

    More."""
    return x

# a comment
class Net:
    size = 1

    def forward(self, x):
        return x

    def other(self): return 0
y = 1
'''
    cells = Source("nb", (Chunk("cell 1", text), Chunk("cell 2", "async def first(x): return 2")), notebook=True)

    def found(*blanks: str) -> list[tuple[str, int, int]]:
        exercise = Exercise("first", 1.0, blanks)
        return [(one.label, one.first, len(one.lines)) for one in excerpts(cells, exercise)]

    assert found("first", "Net.forward", "Net", "absent") == [("cell 2", 1, 1), ("cell 1", 14, 2), ("cell 1", 11, 7)]
    assert excerpts(Source("x", (Chunk("x.py", text),)), Exercise("first", 1.0, ("first",)))[0].first == 1
