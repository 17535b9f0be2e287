"""What students get after the deadline: everything written and green, every answer with its reason, and what goes wrong."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from test_notebook import executed, shown

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Assignment
from autograder.handout.handout import engine_files, handout_files, write_files
from autograder.handout.kit.bundle import SHAPES, read_bundle
from autograder.handout.kit.handouts import handouts_beside
from autograder.handout.leaks import leaks, secrets_of
from autograder.handout.public_data import public_oracle
from autograder.handout.solutions import solution_cells, solution_files, solved
from autograder.handout.write_notebook import check_cell

ROOT = Path(__file__).parents[1]
QUIZ = "a5_attention"  # has a quiz, and functions that call others from further down


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `autograder solutions`."""
    arguments = [sys.executable, "-m", "autograder", "solutions", *map(str, words)]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    """Return the solutions of an assignment with a quiz, for a term whose copies have other letters."""
    return solution_files(ROOT, public_oracle(load_assignment(ROOT, QUIZ)), "2026S")


@pytest.mark.parametrize("slug", ["t1_means", "t3_learning"])
def test_the_notebook_is_green_from_top_to_bottom(slug: str, course: Path, tmp_path: Path) -> None:
    """As it is unpacked from the zip, trainings included; the command says when it may be handed out."""
    made = command(slug, "-o", tmp_path, "--course", course)
    assert made.returncode == 0, made.stderr
    assert "for students, after the deadline only" in made.stdout
    with zipfile.ZipFile(tmp_path / f"solutions-{slug}.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / f"solutions-{slug}"
    (notebook,) = folder.glob("*.ipynb")
    told = [shown(cell) for cell in executed(notebook)]
    assert len(told) > 1
    assert not [text for text in told if "✓" not in text or "✗" in text]
    checked = subprocess.run([sys.executable, "check.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_a_term_with_quiz_answers_is_green_in_the_terms_copy(files: Mapping[str, bytes], tmp_path: Path) -> None:
    """The letters are those that students have seen."""
    write_files(files, tmp_path)
    checked = subprocess.run([sys.executable, "check.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert solved(load_assignment(ROOT, QUIZ)) not in files["attention.py"].decode()


def test_every_file_says_that_it_is_for_after_the_deadline(files: Mapping[str, bytes]) -> None:
    """Whoever opens one by itself reads it first; no marker is left."""
    notebook = nbformat.reads(files["attention.ipynb"].decode(), as_version=4)
    start = next(cell.source for cell in notebook.cells if "These are the solutions" in cell.source)
    for text in (files["attention.py"].decode()[:60], files["SOLUTIONS.md"].decode()[:200], start[:80]):
        assert "for students" in text.lower()
        assert "after the deadline only" in text
    assert not [name for name, data in files.items() if not name.startswith("engine/") and b"BEGIN SOLUTION" in data]


def test_answers_and_mistakes_are_told(files: Mapping[str, bytes]) -> None:
    """Each option with its reason, each claim, and each known mistake by name and sentence."""
    assignment = load_assignment(ROOT, QUIZ)
    sheet = files["SOLUTIONS.md"].decode()
    listed = re.findall(r"^- \[(\w+)\]\(#(\w+)\)$", sheet, re.MULTILINE)
    assert listed == [(name, name.lower()) for name in re.findall(r"^## (\w+)$", sheet, re.MULTILINE)] != []
    options = [option.reason for question in assignment.questions for option in question.options]
    assert [reason for reason in options if reason not in sheet] == []
    assert sheet.count("**Right.**") == len(assignment.questions) > 0
    asked = {question.exercise for question in assignment.questions}
    mistakes = [m for m in assignment.misconceptions if m.exercise not in asked]
    assert [m.name for m in mistakes if f"- `{m.name}`: {' '.join(m.says.split())}\n" not in sheet] == []
    claims = [case for case in assignment.cases if case.exercise not in asked]
    assert [case.name for case in claims if " ".join(case.claim.split()) not in sheet] == []
    assert "    attention_scores(Q, K) with\n" in sheet
    notebook = nbformat.reads(files["attention.ipynb"].decode(), as_version=4)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert [m.name for m in mistakes if f"- `{m.name}`: " not in prose] == []
    assert [reason for reason in options if reason not in prose] == []


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_a_check_comes_after_all_that_its_exercise_calls(slug: str) -> None:
    """So that every notebook of the course is green in one run, and every exercise has its check once."""
    assignment = load_assignment(ROOT, slug)
    cells = _code_cells(assignment)
    places = {name: at for at, cell in enumerate(cells) for name in _defined(cell)}
    for exercise in assignment.exercises:
        check = check_cell(exercise)
        at = cells.index(check)
        used = [e for e in assignment.exercises if e.name in (exercise.name, *assignment.uses(exercise.name))]
        needed = {blank.partition(".")[0] for e in used for blank in e.blanks}
        assert [name for name in needed if places[name] > at] == []
        assert cells.count(check) == 1


def _code_cells(assignment: Assignment) -> list[str]:
    readme = (ROOT / "assignments" / assignment.slug / "README.md").read_text(encoding="utf-8")
    return [text for kind, text in solution_cells(assignment, readme, solved(assignment), "") if kind == "code"]


def _defined(cell: str) -> set[str]:
    return {node.name for node in ast.parse(cell).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_the_proof_of_handouts_would_find_it(files: Mapping[str, bytes]) -> None:
    """The solutions' own files are what no handout may hold; what they share with a handout is the handout's, byte for byte."""
    oracle = public_oracle(load_assignment(ROOT, QUIZ))
    handout = handout_files(ROOT, oracle, "2026S")
    assert {name for name, data in files.items() if handout.get(name) != data} == {
        "attention.py",
        "attention.ipynb",
        "SOLUTIONS.md",
    }
    readme = (ROOT / "assignments" / QUIZ / "README.md").read_text(encoding="utf-8")
    told = list(leaks(files, secrets_of(oracle, readme), engine_files()))
    assert {re.match(r"\S+", text)[0] for text in told} == {"attention.py", "attention.ipynb", "SOLUTIONS.md"}


def test_solutions_beside_a_handout_are_nobodys_work(files: Mapping[str, bytes], tmp_path: Path) -> None:
    """`check.py next` goes through the handouts that lie beside each other, and leaves solutions out."""
    write_files(files, tmp_path / "solutions-a5_attention")
    other = load_assignment(ROOT, "a1_rnn")
    write_files(handout_files(ROOT, public_oracle(other)), tmp_path / "a1_rnn")
    found = handouts_beside(tmp_path / "a1_rnn", read_bundle(tmp_path / "a1_rnn" / "engine"), None)
    assert [handout.slug for handout in found] == ["a1_rnn"]
    assert json.loads((tmp_path / "solutions-a5_attention" / "engine" / SHAPES).read_text())["slug"] == QUIZ
