"""A class that matches nothing is an error: another class's roster, another assignment's submissions; and how to mend it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import COURSE, SLUG

from autograder.course.spec import Assignment

Run = Callable[..., tuple[int, str, str]]
OTHER = "def split_heads(x):\n    return x\n\n\ndef merge_heads(x):\n    return x\n"


@pytest.fixture
def run(cli: Run, tmp_path: Path) -> Run:
    """Return a function that grades a folder of this test's by the command."""

    def of(submissions: str, *arguments: object) -> tuple[int, str, str]:
        where = (tmp_path / submissions, "-o", tmp_path / "out")
        return cli("grade", SLUG, *where, *arguments, "--seed", 3, "--course", COURSE, "--accept-unsandboxed")

    return of


@pytest.fixture
def works(tmp_path: Path, assignment: Assignment) -> Path:
    """Return a folder of three who wrote everything, as Canvas exports it."""
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("lovelaceada_7_100", "noetherbob_8_101", "weili_9_102"):
        (folder / f"{name}_means.py").write_text(assignment.reference, encoding="utf-8")
    return folder


def table(path: Path, *lines: str) -> Path:
    """Write a CSV."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def grades(tmp_path: Path) -> dict[str, float]:
    """Return everybody's points."""
    with (tmp_path / "out" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["student"]: float(row["score"]) for row in csv.DictReader(file)}


def test_a_roster_that_nobody_is_on_stops_before_grading(run: Run, works: Path, tmp_path: Path) -> None:
    """The message shows names of both sides and how to map them; what was graded before stays as it was."""
    other = table(tmp_path / "other.csv", "id,name", "s1,Emmy", "s2,Kurt")
    code, said, told = run("class", "--roster", other)
    assert code == 1
    assert said == "read as an export of Canvas\n"
    assert told.startswith("autograder: None of the 3 submissions is on the roster. Nothing was graded or written.")
    for words in ("lovelaceada_7, noetherbob_8, weili_9", "s1 (Emmy), s2 (Kurt)", "--alias FILE.csv"):
        assert words in told
    assert not (tmp_path / "out").exists()
    assert run("class")[0] == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*") if "sqlite" not in path.name}
    assert run("class", "--roster", other)[0] == 1
    assert {path: path.read_bytes() for path in before} == before
    assert run("class")[0] == 0  # the roster was not remembered
    code, said, _ = run("class", "--roster", other, "--json")
    (event,) = map(json.loads, said.splitlines())
    assert (code, event["event"], event["what"]) == (1, "mismatch", "roster")
    assert event["submissions"] == ["lovelaceada_7", "noetherbob_8", "weili_9"]
    assert event["roster"] == ["s1", "s2"]
    nameless = table(tmp_path / "nameless.csv", "id,email", "s1,emmy@example.org")
    assert (
        "It has no column of names, and finds students by id, login and email alone."
        in run("class", "--roster", nameless)[2]
    )


def test_another_assignments_submissions_are_an_error(run: Run, tmp_path: Path) -> None:
    """A whole class without a point ends with 1, says what its files define, and says what was written nevertheless."""
    (tmp_path / "class").mkdir()
    for name in ("ann", "bob"):
        (tmp_path / "class" / f"{name}.py").write_text(OTHER)
    code, said, told = run("class")
    assert code == 1
    assert "No student in this class has a point. Are these the submissions of t1_means?" in told
    assert "They define merge_heads and split_heads, and none of row_means, center, spread." in told
    assert f"The grades were written all the same: {tmp_path / 'out'}" in told
    assert "report.html" in said
    assert grades(tmp_path) == {"ann": 0.0, "bob": 0.0}
    code, said, _ = run("class", "--json")
    assert code == 1
    assert [(event["event"], event.get("what")) for event in map(json.loads, said.splitlines())] == [
        ("mismatch", "points"),
        ("done", None),
    ]
    (tmp_path / "class" / "bob.py").unlink()
    assert run("class")[0] == 0  # one student alone may have nothing


def test_who_is_not_on_the_roster_is_counted(run: Run, works: Path, tmp_path: Path) -> None:
    """Where only some match, the numbers and the names are told, and the grades stand."""
    roster = table(tmp_path / "roster.csv", "id,name", "007,Ada Lovelace", "13,Emmy Noether")
    code, _, told = run("class", "--roster", roster)
    assert code == 0
    assert "2 of 3 submissions fit no student on the roster, or more than one: noetherbob_8, weili_9." in told
    assert "1 of 2 on the roster handed in nothing: Emmy Noether" in told
    assert "--alias FILE.csv" in told


def test_aliases_say_who_is_who(run: Run, works: Path, tmp_path: Path) -> None:
    """By any name that the grades or the export show; the gradebook remembers them, and what matches nothing is told."""
    roster = table(tmp_path / "roster.csv", "id,name", "007,Countess", "8x,Bobby", "9x,Weili")
    alias = table(tmp_path / "alias.csv", "name,id", "lovelaceada,007", "noetherbob_8,8x", "NoetherBob,8x", "kurt,9x")
    code, _, told = run("class", "--roster", roster, "--alias", alias)
    assert code == 0
    assert grades(tmp_path) == {"007": 7.0, "8x": 7.0, "9x": 7.0}
    assert "not among the submissions: kurt" not in told  # 9x is there by its own name
    assert run("class")[0] == 0
    assert grades(tmp_path) == {"007": 7.0, "8x": 7.0, "9x": 7.0}
    more = table(tmp_path / "more.csv", "\ufeffsep=;", "student;id", "lovelaceada_7;8x", "zoe;007")
    code, _, told = run("class", "--alias", more)
    assert code == 0
    assert "1 name of the aliases is not among the submissions: zoe" in told
    assert grades(tmp_path) == {"007": 0.0, "8x": 7.0, "9x": 7.0} | {"noetherbob_8": 7.0}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("name,id", "lovelaceada,999"), "line 2 has the id 999, which is not on the roster"),
        (("name,id", "ada,007", "Ada,8"), "line 3 has the name Ada again, for another id than line 2"),
        (("name,id", ",007"), "line 2 has no name"),
        (("name,id", "ada,"), "line 2 has no id"),
        (("who,what", "ada,007"), "Begin with the line name,id"),
        (("name,id",), "has no line below its first"),
        (("name,id", "li,007"), "li may be any of li_1, li_2"),
    ],
)
def test_wrong_aliases_are_a_line(run: Run, tmp_path: Path, lines: tuple[str, ...], words: str) -> None:
    """With its number, before anything is graded."""
    (tmp_path / "class").mkdir()
    for name in ("li_1_100", "li_2_101"):
        (tmp_path / "class" / f"{name}_means.py").write_text(OTHER)
    roster = table(tmp_path / "roster.csv", "id,name", "007,Ada", "8,Bob")
    code, said, told = run("class", "--roster", roster, "--alias", table(tmp_path / "alias.csv", *lines))
    assert (code, said, told.count("\n")) == (2, "", 1)
    assert words in told


def test_aliases_need_a_roster(run: Run, works: Path, tmp_path: Path) -> None:
    """There is nobody to map to without one."""
    code, _, told = run("class", "--alias", table(tmp_path / "alias.csv", "name,id", "ada,007"))
    assert code == 2
    assert "--alias maps names to ids of a roster, and there is none. Add --roster FILE.csv." in told
