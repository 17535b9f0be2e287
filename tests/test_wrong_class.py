"""Submissions that are evidently not those of a graded class are refused before anything is written."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from autograder.course.spec import Assignment

Run = Callable[..., tuple[int, str, str]]
CLASS = ("ann", "bob", "cy", "dora")
OTHER_WORK = "def attention(q, k, v):\n    return v\n"


@pytest.fixture
def grade(course: Path, cli: Run, tmp_path: Path) -> Run:
    """Return a function that grades files, by student, into the same folder."""
    rounds = iter(range(100))

    def of(files: Mapping[str, str], *options: str) -> tuple[int, str, str]:
        folder = tmp_path / f"class{next(rounds)}"
        folder.mkdir()
        for student, text in files.items():
            (folder / f"{student}.py").write_text(text, encoding="utf-8")
        where = ("-o", tmp_path / "out", "--course", course, "--accept-unsandboxed")
        return cli("grade", "t1_means", folder, *where, *options)

    return of


@pytest.fixture
def scores(tmp_path: Path) -> Callable[[], dict[str, float]]:
    """Return a function that reads the scores in grades.csv."""

    def of() -> dict[str, float]:
        with (tmp_path / "out" / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
            return {row["student"]: float(row["score"] or 0) for row in csv.DictReader(file)}

    return of


@pytest.fixture
def before(grade: Run, assignment: Assignment, scores: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Grade a class that is right, and return its scores."""
    assert grade(dict.fromkeys(CLASS, assignment.reference))[0] == 0
    return scores()


def test_another_assignments_files_lower_no_points(
    grade: Run, before: dict[str, float], scores: Callable[[], dict[str, float]]
) -> None:
    """They say what they define, and the option that grades them all the same does."""
    code, _, said = grade(dict.fromkeys(CLASS, OTHER_WORK))
    assert code == 1
    assert "4 of 4 students whose work on t1_means is graded" in said
    assert "have next to nothing of it in these files: ann, bob, cy, dora. They define attention." in said
    assert "Nothing was graded or written." in said
    assert scores() == before
    assert "next to nothing" not in grade(dict.fromkeys(CLASS, OTHER_WORK), "--accept-mismatch")[2]
    assert set(scores().values()) == {0.0}


def test_other_students_do_not_replace_a_class(
    grade: Run, assignment: Assignment, before: dict[str, float], scores: Callable[[], dict[str, float]]
) -> None:
    """Whose grades they are, and whose files, is said."""
    others = {f"other{number}": assignment.reference for number in range(4)}
    code, _, said = grade(others)
    assert code == 1
    assert "None of the 4 submissions is of a student who is in the grades of" in said
    assert "Nothing was graded or written, as 4 students would leave the grades." in said
    assert scores() == before
    assert grade(others, "--accept-mismatch")[0] == 0
    assert scores().keys() == others.keys()


def test_a_late_submission_alone_takes_nobody_out_of_the_grades(
    grade: Run, assignment: Assignment, before: dict[str, float], scores: Callable[[], dict[str, float]]
) -> None:
    """The options that grade it and keep the others are said as they are typed."""
    late = {"late": assignment.reference, "ann": f"{assignment.reference}\n# mended"}
    code, _, said = grade(late)
    assert code == 1
    assert "There are 2 submissions, and" in said
    assert "Nothing was graded or written, as 3 students would leave the grades: bob, cy, dora." in said
    assert "add --only ann --only late. If" in said
    assert scores() == before
    assert grade(late, "--only", "ann", "--only", "late")[0] == 0
    assert scores() == {**before, "late": before["ann"]}
    assert grade(late, "--accept-mismatch")[0] == 0
    assert scores().keys() == late.keys()


def test_a_late_student_never_takes_the_page_of_one_whose_name_has_other_capitals(
    grade: Run, assignment: Assignment, before: dict[str, float], scores: Callable[[], dict[str, float]]
) -> None:
    """Where capitals in file names do not count, ANN.html would be written over ann.html."""
    assert grade({"ANN": assignment.stub}, "--only", "ANN")[0] == 0
    after = scores()
    assert (after["ANN"], after["ann-2"]) == (0.0, before["ann"])
    assert len({name.casefold() for name in after}) == len(CLASS) + 1


@pytest.mark.parametrize("what", ["one left", "one is empty", "half fail", "two more", "all but one go on"])
def test_honest_work_goes_on(
    what: str, grade: Run, assignment: Assignment, before: dict[str, float], scores: Callable[[], dict[str, float]]
) -> None:
    """A student who left, a wrong file among others, a class that grows, and one that hands in again are no other class."""
    assert set(before.values()) == {float(assignment.points)}
    right, wrong = assignment.reference, assignment.reference.replace("return x - means", "return x + means")
    files = {
        "one left": dict.fromkeys(CLASS[1:], right),
        "one is empty": {**dict.fromkeys(CLASS, right), "ann": ""},
        "half fail": {**dict.fromkeys(CLASS, wrong), "ann": assignment.stub},
        "two more": dict.fromkeys((*CLASS, "eve", "fay"), right),
        "all but one go on": dict.fromkeys((*CLASS[:3], "eve"), f"{right}\n# mended"),
    }[what]
    assert grade(files)[0] == 0
    assert scores().keys() == files.keys()
