"""A proof over nothing fails: every proving command says what is missing, and ends with 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.cli import main
from autograder.course.spec import Assignment
from autograder.proof.mutants import nothing_to_try

SLUG = "t1_means"
BANK = f"solutions/{SLUG}/misconceptions.py"
DISGUISE = "def center(x):\n    return np.mean(x, -1, keepdims=True) - x\n"
ONE_MISTAKE = """
from autograder.course.mistakes import edit, mistakes_of
MISCONCEPTIONS = mistakes_of(
    "center", mean_minus_x=edit("return x - means", "return means - x", "two_rows_centered", "It is the wrong way around.")
)
"""

Said = Callable[..., tuple[int, str]]


@pytest.fixture
def said(course_copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Return a function that runs a command on the copy of the course, and returns its exit code and what it prints."""

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["autograder", *words, "--course", str(course_copy)])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            main()
        found = capsys.readouterr()
        return int(ended.value.code or 0), " ".join((found.out + found.err).split())

    return run


def write(course: Path, texts: dict[str, str]) -> None:
    """Put files into the course."""
    for name, text in texts.items():
        (course / name).parent.mkdir(exist_ok=True)
        (course / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("json", [[], ["--json"]])
@pytest.mark.parametrize("command", ["doctor", "calibrate", "mutants", "fairness"])
def test_a_course_without_assignments(said: Said, course_copy: Path, command: str, json: list[str]) -> None:
    """Nothing was examined, so nothing holds."""
    for path in (course_copy / "assignments").glob("*/assignment.toml"):
        path.unlink()
    code, text = said(command, *json)
    assert code == 1
    assert "There is no assignment in " in text


@pytest.mark.parametrize(
    ("command", "texts", "line"),
    [
        (["fairness", "--seeds", "1", "--pairs", "1"], {}, f"there is no rewritten known mistake; write one in solutions/{SLUG}/mistaken/"),
        (
            ["fairness", "--seeds", "1", "--pairs", "0"],
            {BANK: ONE_MISTAKE, f"solutions/{SLUG}/mistaken/mean_minus_x.py": DISGUISE},
            "there is no pair of known mistakes in different exercises",
        ),
        (["doctor"], {BANK: ONE_MISTAKE}, "there is no pair of known mistakes in different exercises"),
        (["mutants"], {BANK: "MISCONCEPTIONS = ()\n"}, f"there is no known mistake in solutions/{SLUG}/misconceptions.py"),
        (["calibrate"], {BANK: "MISCONCEPTIONS = ()\n"}, f"there is no known mistake in solutions/{SLUG}/misconceptions.py"),
        (["calibrate", "--json"], {BANK: "MISCONCEPTIONS = ()\n"}, "there is no known mistake in solutions"),
        (["doctor"], {f"assignments/{SLUG}/README.md": "# `row_means`, `center`, `spread`\n"}, "README.md does not say how many points `center` gives"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told(
    said: Said, course_copy: Path, command: list[str], texts: dict[str, str], line: str
) -> None:
    """With the place where it belongs."""
    write(course_copy, texts)
    code, text = said(command[0], SLUG, *command[1:])
    assert code == 1
    assert line in text


def test_a_region_in_which_nothing_can_be_changed_is_told(assignment: Assignment) -> None:
    """An exercise without mutants would count as noticed in full."""
    body = "    squares = center(x) ** 2\n    mean_square = row_means(squares)\n    return np.sqrt(mean_square)\n"
    assert body in assignment.reference
    empty = replace(assignment, reference=assignment.reference.replace(body, "    return x\n"))
    assert list(nothing_to_try(empty)) == ["spread has no mutant: nothing in its solution region can be changed"]
    assert list(nothing_to_try(assignment)) == []


def test_without_other_correct_solutions_no_noise_is_measured(said: Said, course_copy: Path) -> None:
    """Calibration rests on other correct ways to write it."""
    for path in (course_copy / "solutions" / SLUG / "correct").glob("*.py"):
        path.unlink()
    code, text = said("calibrate", SLUG)
    assert code == 1
    assert f"there is no other correct way in solutions/{SLUG}/correct/" in text


@pytest.mark.parametrize(
    "command", [["fairness", "--seeds", "0"], ["mutants", "--jobs", "0"], ["fairness", "--pairs", "-1"]]
)
def test_no_seeds_are_no_proof(said: Said, command: list[str]) -> None:
    """They are refused as wrong use."""
    code, text = said(command[0], SLUG, *command[1:])
    assert code == 2
    assert "is not in the range" in text
