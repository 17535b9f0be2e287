"""Half of an assignment gets a partial answer: some exercises alone, or a list of what is still to write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.proof import gradings

Cli = Callable[..., tuple[int, str, str]]
SLUG = "t1_means"
BANK = "solutions/t1_means/misconceptions.py"


def change(course: Path, name: str, old: str, new: str) -> None:
    """Replace a text that occurs once in a file of the course."""
    path = course / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_one_exercise_is_proved_and_the_rest_is_named(cli: Cli, course_copy: Path) -> None:
    """What is broken in another exercise is not looked at; what is broken in its own bank, cases or README is told."""
    change(course_copy, BANK, 'old="np.sqrt(mean_square)"', 'old="nowhere"')
    change(course_copy, "assignments/t1_means/README.md", "`spread(x)`, 3 points", "`spread(x)`, 4 points")
    told = ("doctor", SLUG, "--course", course_copy, "--exercise")
    code, out, _ = cli(*told, "center")
    assert code == 0
    assert "✓ every misconception is caught where it says (4)" in out
    assert "Not looked at: row_means, spread, " in out
    change(course_copy, BANK, 'old="nowhere"', 'old="np.sqrt(mean_square)"')
    change(course_copy, BANK, 'new="return -(x - means)"', 'new="return -(x - means) + 0"')
    change(course_copy, BANK, 'twins=("negates_the_result",)', "twins=()")
    change(course_copy, BANK, 'twins=("mean_minus_x",)', "twins=()")
    code, out, _ = cli(*told, "center", "--exercise", "spread", "--json")
    answer = json.loads(out)[SLUG]
    assert code == 1
    assert [line for proof in answer["proofs"] for line in proof["broken"]] == [
        "negates_the_result is diagnosed as mean_minus_x",
        "README.md gives `spread` 4 points, assignment.toml 3",
    ]
    assert answer["not_looked_at"][:2] == ["row_means", "the handout"]


def test_exercises_that_cannot_be_named(cli: Cli, course_copy: Path) -> None:
    """The nearest name is said, and exercises belong to one assignment."""
    code, out, err = cli("doctor", SLUG, "--exercise", "centre", "--course", course_copy)
    assert (code, out) == (2, "")
    assert err == "autograder: t1_means has no exercise centre. Did you mean center?\n"
    code, _, err = cli("doctor", "--exercise", "center", "--course", course_copy)
    assert code == 2
    assert err.startswith("autograder: Name the one assignment of --exercise center: ")


def test_a_draft_lists_what_is_still_to_write(cli: Cli, tmp_path: Path) -> None:
    """A scaffold, an exercise declared, its function, a mistake before its case, a README lost: and what is wrong is still wrong."""
    cli("new", "s1_sums", "--course", tmp_path)
    home, secret = tmp_path / "assignments/s1_sums", tmp_path / "solutions/s1_sums"
    change(tmp_path, "assignments/s1_sums/assignment.toml", "points = 2\nfile", "points = 5\nfile")
    with (home / "assignment.toml").open("a") as settings:
        settings.write('\n[[exercise]]\nname = "column_means"\nsection = "Columns"\npoints = 3\n')
    draft = ("doctor", "s1_sums", "--draft", "--course", tmp_path)
    cases = ["column_means has no public case", "column_means has no hidden case"]

    code, out, _ = cli(*draft, "--json")
    assert code == 0
    assert json.loads(out)["s1_sums"]["still_to_write"] == [
        "solutions/s1_sums/sums.py has no column_means yet, with its solution between # BEGIN SOLUTION and # END SOLUTION",
        *cases,
    ]
    assert cli("doctor", "s1_sums", "--course", tmp_path)[0] == 1

    with (secret / "sums.py").open("a") as reference:
        reference.write(
            "\n\ndef column_means(x):\n    # BEGIN SOLUTION\n    return x.mean(axis=0)\n    # END SOLUTION\n"
        )
    change(
        tmp_path,
        "solutions/s1_sums/misconceptions.py",
        "\n    ),\n)\n",
        '\n    ),\n) + mistakes_of("column_means", rows=edit("axis=0", "axis=1", "a_case", "These are means of rows."))\n',
    )
    code, out, _ = cli(*draft, "--write-stub")
    assert code == 0
    assert "still to write (" in out
    assert all(
        line in out for line in (*cases, "README.md does not say `column_means`", 'teaches `column_means` in "Columns"')
    )
    assert "✓ every misconception is caught where it says (1)" in out
    assert "column_means is not written yet" in (home / "sums.py").read_text(encoding="utf-8")

    (home / "README.md").unlink()
    change(tmp_path, "solutions/s1_sums/correct/loops.py", "len(row)", "3")
    code, out, _ = cli(*draft)
    assert code == 1
    assert "assignments/s1_sums/README.md is not there yet" in out
    assert "✗ every correct solution gets full marks (1)" in out


def test_a_save_grades_again_only_what_it_concerns(
    cli: Cli, course_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text nothing, a solution one file, a known mistake all that fails, a case everything."""
    readme, cases = "assignments/t1_means/README.md", "solutions/t1_means/cases.py"
    loops, now_a_twin = "solutions/t1_means/correct/loops.py", ("return x + means", "return means - x")
    saves = [
        (readme, "Three exercises", "The three exercises"),
        (loops, "sum(row) / len(row)", "sum(row) / 3"),
        (BANK, *now_a_twin),
        (cases, "rng.normal(size=(4, 3)) + 2.0", "rng.normal(size=(4, 3)) + 3.0"),
    ]
    graded, per_round = list[Any](), list[int]()

    def counted(source: Any, *others: Any, **options: Any) -> Any:
        graded.append(source)
        return grade(source, *others, **options)

    def save(_: float) -> None:
        per_round.append(len(graded))
        graded.clear()
        if not saves:
            raise KeyboardInterrupt
        change(course_copy, *saves.pop(0))

    grade = gradings.grade
    monkeypatch.setattr(gradings, "grade", counted)
    monkeypatch.setattr("autograder.command.authoring.time", SimpleNamespace(sleep=save))  # not that of all modules
    code, out, _ = cli("doctor", SLUG, "--exercise", "center", "--watch", "--course", course_copy)
    rounds = out.split("Watching t1_means")
    whole = 5 + 1 + 2 + 4  # the reference at five seeds, the stub, other correct solutions, known mistakes
    assert code == 130
    failing = 4 + 1 + 1  # known mistakes, the stub and what is wrong in loops.py: diagnosed by the bank
    assert per_round == [whole, 0, 1, failing, whole]
    assert "✗" not in rounds[0] + rounds[1]
    assert "loops: center" in rounds[2]
    assert "mean_minus_x is diagnosed as adds_the_mean" in " ".join(rounds[3].split())
