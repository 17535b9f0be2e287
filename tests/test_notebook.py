"""The notebook of a handout: valid, the same code as the stub, run in both states, and a submission like any other."""

from __future__ import annotations

import ast
import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Exercise
from autograder.handout.handout import handout_files, handout_zip
from autograder.handout.public_data import public_oracle
from autograder.handout.write_notebook import make_notebook
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Sandbox, Source
from autograder.submission.source import read_source

ROOT = Path(__file__).parents[1]


@pytest.fixture
def folder(assignment: Assignment, course: Path, tmp_path: Path) -> Path:
    """Return a handout as a student unzips it."""
    files = handout_files(course, public_oracle(assignment))
    with zipfile.ZipFile(io.BytesIO(handout_zip(files, "t1_means"))) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "t1_means"


def fill(notebook: Any, reference: str) -> None:
    """Write the reference's definitions over the stub's, as a student would."""
    solved = {n.name: ast.get_source_segment(reference, n) or "" for n in ast.parse(reference).body if named(n)}
    for cell in notebook.cells:
        for node in ast.parse(cell.source).body if cell.cell_type == "code" else ():
            if named(node) and node.name in solved:
                cell.source = cell.source.replace(ast.get_source_segment(cell.source, node), solved[node.name])


def named(node: ast.AST) -> bool:
    """Whether a statement defines something."""
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def run(path: Path) -> list[str]:
    """Run a notebook as Jupyter does and return what its check cells showed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbclient import NotebookClient

        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
        ).execute()
    shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.startswith("grader.")]
    return ["".join(o.get("data", {}).get("text/plain", "") for o in cell.outputs) for cell in shown]


def test_the_stub_fails_cleanly_in_a_kernel(folder: Path) -> None:
    """Every cell runs, and every check says that its exercise is not written yet."""
    *checks, last = run(folder / "means.ipynb")
    assert len(checks) == 3
    assert all("MISSING" in text for text in checks)
    assert "0 of 7 points" in last


def test_the_solution_passes_in_a_kernel(folder: Path, assignment: Assignment) -> None:
    """Every check passes, on what the cells hold and not on what is saved."""
    path = folder / "means.ipynb"
    notebook = nbformat.read(path, as_version=4)
    fill(notebook, assignment.reference)
    nbformat.write(notebook, path)
    *checks, last = run(path)
    assert not [text for text in checks if "✓" not in text]
    assert "7 of 7 points" in last


def test_a_cell_that_is_run_again_counts_as_it_is_now(folder: Path, assignment: Assignment) -> None:
    """Earlier attempts of a cell leave nothing behind, also where they were no Python."""
    path = folder / "means.ipynb"
    notebook = nbformat.read(path, as_version=4)
    place = next(i for i, cell in enumerate(notebook.cells) if "def row_means" in cell.source)
    early = [
        nbformat.v4.new_code_cell("def row_means(x):\n    return 1"),
        nbformat.v4.new_code_cell("%timeit -n 1 -r 1 1"),
    ]
    fill(notebook, assignment.reference)
    notebook.cells[place:place] = early
    nbformat.write(notebook, path)
    assert "7 of 7 points" in run(path)[-1]


def test_a_filled_notebook_is_graded_like_the_file(
    folder: Path, assignment: Assignment, oracle: Oracle, sandbox: Sandbox
) -> None:
    """The same score, case by case."""
    path = folder / "means.ipynb"
    wrong = assignment.reference.replace("return x - means", "return means - x")
    for text in (assignment.reference, wrong, assignment.stub):
        notebook = nbformat.read(path, as_version=4)
        fill(notebook, text)
        nbformat.write(notebook, path)
        mine = grade(read_source(path, "means.py"), oracle, sandbox)
        file = grade(Source("means", (Chunk("means.py", text),)), oracle, sandbox)
        statuses = [[(c.name, c.status, c.diagnosis) for e in r.exercises for c in e.cases] for r in (mine, file)]
        assert statuses[0] == statuses[1]
        assert mine.notes == ()


@pytest.mark.parametrize("slug", ["a1_rnn", "a2_bptt", "a3_gates", "a5_attention"])
def test_every_notebook_holds_the_stub_and_a_check_for_each_exercise(slug: str) -> None:
    """Each exercise's cell once, its check right below, and all of the README's prose."""
    assignment = load_assignment(ROOT, slug)
    readme = (ROOT / "assignments" / slug / "README.md").read_text(encoding="utf-8")
    exercises = tuple(exercise for exercise in assignment.exercises if not exercise.training)
    text = make_notebook("t", readme, assignment.stub, exercises, "Start.", "grader = None")
    assert text == make_notebook("t", readme, assignment.stub, exercises, "Start.", "grader = None")
    notebook = nbformat.reads(text, as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for exercise in exercises:
        (place,) = (i for i, source in enumerate(code) if source == f'grader.check("{exercise.name}")')
        assert any(named(n) and n.name == exercise.blanks[0].partition(".")[0] for n in ast.parse(code[place - 1]).body)
    stub = [ast.dump(node) for source in code[1:] for node in ast.parse(source).body if "grader" not in source]
    assert sorted(stub) == sorted(ast.dump(node) for node in ast.parse(assignment.stub).body)
    prose = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert [line for line in readme.split("\n") if line.strip() and line not in prose] == []


def test_cells_stand_where_the_text_asks_for_them() -> None:
    """After the paragraph that says "Exercise", else at the end of the section of that name, else at the end."""
    readme = "# T\n\n## One\n\nExercises: `a`, `b`.\n\nMore.\n\n## The C part\n\nText.\n\n## Last\n\n```\n## no heading\n\nx\n```\n"
    stub = "import x\n\n\ndef a():\n    pass\n\n\nGIVEN = 1\n\n\ndef b():\n    pass\n\n\ndef c():\n    pass\n\n\ndef d():\n    pass\n\n\nEND = 2\n"
    exercises = tuple(Exercise(name, 1.0, (name,)) for name in "dcba")
    cells = json.loads(make_notebook("t", readme, stub, exercises, "Start.", "setup()"))["cells"]
    told = ["".join(cell["source"]).partition("\n")[0] for cell in cells]
    assert told == [
        "# T", "Start.", "setup()", "import x", "## One", "def a():", 'grader.check("a")', "GIVEN = 1", "def b():",
        'grader.check("b")', "More.", "## The C part", "def c():", 'grader.check("c")', "## Last", "def d():",
        'grader.check("d")', "END = 2", "**Everything at once.** When all is written, save the notebook and hand it in.",
        "grader.check_all()",
    ]  # fmt: skip
