"""The notebook of a handout: valid, the same code as the stub, run in both states, and a submission like any other."""

from __future__ import annotations

import ast
import base64
import io
import json
import os
import re
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Assignment, Exercise
from autograder.handout.handout import handout_files, handout_zip, links
from autograder.handout.kit.grader import Grader
from autograder.handout.kit.self_check import check, verdicts
from autograder.handout.kit.verdicts import Examples
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.handout.write_notebook import make_notebook, misplaced, notebook_cells
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


def executed(path: Path, *, allow_errors: bool = False) -> list[Any]:
    """Run a notebook as Jupyter does and return its check cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbclient import NotebookClient

        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook,
            timeout=60,
            kernel_name="python3",
            allow_errors=allow_errors,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.startswith("grader.")]


def shown(cell: Any, kind: str = "text/plain") -> str:
    """Return what a cell shows in a format."""
    return "".join(output.get("data", {}).get(kind, "") for output in cell.outputs)


def run(path: Path) -> list[str]:
    """Run a notebook and return the texts that its check cells showed."""
    return [shown(cell) for cell in executed(path)]


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


def test_cells_stand_where_assignment_toml_says() -> None:
    """At the end of the section in which an exercise is taught, subsections included, in any order; else at the end."""
    readme = "# T\n\n## One\n\nExercises: `d`.\n\n### Inside\n\nMore.\n\n## The C part\n\nText.\n\n## Last\n\n```\n## no heading\n\nx\n```\n"
    stub = "import x\n\n\ndef a():\n    pass\n\n\nGIVEN = 1\n\n\ndef b():\n    pass\n\n\ndef c():\n    pass\n\n\ndef d():\n    pass\n\n\nEND = 2\n"
    sections = {"a": "One", "b": "One", "c": "The C part", "d": "no heading"}
    exercises = (
        *(Exercise(name, 1.0, (name,), section=section) for name, section in sections.items()),
        Exercise("e", 1.0, (), training=True, section="The C part"),
    )
    cells = json.loads(make_notebook("t", readme, stub, exercises, "Start.", "setup()"))["cells"]
    told = ["".join(cell["source"]).partition("\n")[0] for cell in cells]
    assert told == [
        "# T", "Start.", "setup()", "import x", "## One", "### Inside", "def a():", 'grader.check("a")', "GIVEN = 1",
        "def b():", 'grader.check("b")', "## The C part", "def c():", 'grader.check("c")', 'grader.train("e")', "## Last",
        "def d():", 'grader.check("d")', "END = 2",
        "**Everything at once.** When all is written, save the notebook and hand it in.", "grader.check_all()",
    ]  # fmt: skip
    assert list(misplaced(readme, exercises)) == [("d", "no heading")]
    assert list(misplaced(readme, [Exercise("a", 1.0, ("a",))])) == []
    assert list(misplaced(readme, [*exercises[:1], Exercise("f", 1.0, ("f",))])) == [("f", "")]


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_exercises_come_in_the_order_in_which_they_are_taught(slug: str) -> None:
    """Every exercise of the course, trainings too, stands below a heading, and none before what its text needs."""
    assignment = load_assignment(ROOT, slug)
    readme = (ROOT / "assignments" / slug / "README.md").read_text(encoding="utf-8")
    assert list(misplaced(readme, assignment.exercises)) == []
    places = [readme.index(f"# {exercise.section}\n") for exercise in assignment.exercises]
    cells = list(notebook_cells(readme, assignment.stub, assignment.exercises, "", ""))
    asked = {text for kind, text in cells if kind == "code" and text.startswith("grader.")}
    names = [exercise.name for exercise in assignment.exercises if not exercise.training]
    assert {f'grader.check("{name}")' for name in names} < asked
    assert len(set(places)) > 3


WRONG = ("return x - means", "return means - x")


def test_a_check_answers_with_pictures(folder: Path, assignment: Assignment) -> None:
    """HTML with the diagnosis first and the wrong cells framed, in a style of its own; the text says the same."""
    path = folder / "means.ipynb"
    notebook = nbformat.read(path, as_version=4)
    fill(notebook, assignment.reference.replace(*WRONG))
    nbformat.write(notebook, path)
    _, center, _, everything = executed(path)
    page = shown(center, "text/html")
    assert (
        page.index("Your difference is the wrong way around.")
        < page.index("two_rows_centered")
        < page.index('class="heat"')
    )
    assert page.count("minus off") + page.count("plus off") == 6
    assert "Your difference is the wrong way around." in shown(center)
    assert "spread" not in page
    assert "spread" in shown(everything, "text/html")
    rules = re.sub(r"\{[^{}]*\}", "", page.partition("<style>")[2].partition(".autograder {")[0])
    assert all(".autograder" in rule for rule in rules.split("\n") if rule.strip())


def test_a_cell_that_was_not_run_is_asked_for(folder: Path, assignment: Assignment) -> None:
    """Instead of a NameError, or of what reads as if it were not written."""
    path = folder / "means.ipynb"
    for absent, asked, name in (
        ("def row_means", 2, "row_means"),
        ("def row_means", 0, "row_means"),
        ("import numpy", 0, "np"),
    ):
        notebook = nbformat.read(path, as_version=4)
        fill(notebook, assignment.reference)
        kept = [c for c in notebook.cells if not (c.cell_type == "code" and absent in c.source)]
        assert len(kept) < len(notebook.cells)
        notebook.cells = kept
        alone = folder / "alone.ipynb"
        nbformat.write(notebook, alone)
        text = run_through(alone)[asked]
        assert f"Run the cell that defines `{name}` first" in text, text
        assert "NameError" not in text


def run_through(path: Path) -> list[str]:
    """Run a notebook some cells of which raise, and return what its check cells showed."""
    return [shown(cell) for cell in executed(path, allow_errors=True)]


def test_a_notebook_alone_finds_the_zip(assignment: Assignment, course: Path, tmp_path: Path) -> None:
    """As it is uploaded: beside the zip, on Kaggle below what was added, in Colab after the dialog that asks for it."""
    files = handout_files(course, public_oracle(assignment))
    data = handout_zip(files, "t1_means")
    notebook = nbformat.reads(files["means.ipynb"].decode(), as_version=4)
    (setup,) = (cell for cell in notebook.cells if "check import grader" in cell.source)
    names = ("beside", "kaggle", "loose", "colab", "nowhere", "broken")
    homes = beside, kaggle, loose, colab, nowhere, broken = tuple(tmp_path / name for name in names)
    for home in homes:
        (home / "work").mkdir(parents=True)
    (broken / "work" / "t1_means.zip").write_bytes(data[:1000])
    (beside / "work" / "t1_means (1).zip").write_bytes(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(kaggle / "input" / "mine")
        archive.extractall(loose / "input")
    (loose / "input" / "t1_means").rename(loose / "input" / "what_i_added")
    (colab / "google").mkdir()
    (colab / "google" / "__init__.py").write_text("")
    (colab / "google" / "colab.py").write_text(
        f"class files:\n    def upload():\n        open('t1_means.zip', 'wb').write({data!r})\n        return {{'t1_means.zip': b''}}\n"
    )
    for home in homes:
        code = setup.source.replace("/kaggle/input", str(home / "input"))
        program = ("import google.colab\n" if home == colab else "") + f"{code}\nprint(grader.check('center'))\n"
        done = subprocess.run(
            [sys.executable, "-B", "-c", program],
            cwd=home / "work",
            env={**os.environ, "PYTHONPATH": str(home), "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if home in (nowhere, broken):
            assert "Put t1_means.zip beside this notebook, as you downloaded it" in done.stderr
            assert ("This is no whole zip. " in done.stderr) == (home == broken)
        else:
            assert "Run the cell that defines `center`" in done.stdout


def test_a_notebook_beside_the_zip_leaves_the_folder_as_it_is(
    assignment: Assignment, course: Path, tmp_path: Path
) -> None:
    """Work may be in there: each time that its first cell runs, it would be gone."""
    files = handout_files(course, public_oracle(assignment))
    (tmp_path / "t1_means.zip").write_bytes(handout_zip(files, "t1_means"))
    notebook = nbformat.reads(files["means.ipynb"].decode(), as_version=4)
    (setup,) = (cell.source for cell in notebook.cells if "check import grader" in cell.source)
    for _ in range(2):
        subprocess.run([sys.executable, "-B", "-c", setup], cwd=tmp_path, check=True)
        (tmp_path / "t1_means" / "means.py").write_text("mine = 1\n")
    assert (tmp_path / "t1_means" / "means.py").read_text() == "mine = 1\n"


def test_pictures_travel_inside_the_notebook() -> None:
    """No cell asks for a file beside the notebook; the text that describes a picture stays, and a training has its cell."""
    files = handout_files(ROOT, public_oracle(load_assignment(ROOT, "a2_bptt")))
    cells = nbformat.reads(files["bptt.ipynb"].decode(), as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert not [target for target in links(prose) if target.startswith("figures/")]
    pictures = [name for name in files if name.startswith("figures/")]
    assert prose.count('<img alt="') == len(pictures) > 0
    assert base64.b64encode(files["figures/windows.svg"]).decode() in prose
    assert 'alt="Seven states in windows of three, three and one.' in prose
    assert "\n    grader.train()\n" in prose
    assert "\n    python training.py\n" not in prose
    assert "the same training in a terminal\nwith the `bptt.py` beside it." in prose
    assert [cell.source for cell in cells].count('grader.train("train_hello")') == 1


def test_a_training_runs_on_the_notebooks_code(course: Path, tmp_path: Path) -> None:
    """Not on the file of that name, which is the stub; a mistake is shown by its cell."""
    assignment = load_assignment(course, "t3_learning")
    for name, data in handout_files(course, public_oracle(assignment)).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "line.ipynb"
    (train,) = (cell for cell in executed(path) if cell.source == 'grader.train("train_line")')
    assert shown(train).startswith("train_line: the first")
    assert "✗ MISSING: " in shown(train)
    notebook = nbformat.read(path, as_version=4)
    fill(notebook, assignment.reference)
    nbformat.write(notebook, path)
    (train,) = (cell for cell in executed(path) if cell.source == 'grader.train("train_line")')
    assert "✓ PASSED" in shown(train)
    assert "<polyline" in shown(train, "text/html")


def test_two_trainings_have_a_cell_each() -> None:
    """That makes this training alone; no code cell stands in a notebook twice."""
    assignment = load_assignment(ROOT, "a8_language_model")
    readme = (ROOT / "assignments" / assignment.slug / "README.md").read_text(encoding="utf-8")
    cells = notebook_cells(readme, assignment.stub, assignment.exercises, "", "")
    code = [text for kind, text in cells if kind == "code" and text.startswith("grader.")]
    assert [text for text in code if "grader.train" in text] == [
        'grader.train("train_sort")',
        'grader.train("train_shakespeare")',
    ]
    assert len(set(code)) == len(code)


WITH_HELP = [
    "grader.hint()",
    "grader.hint()",
    'grader.repro("center")',
    "grader.next()",
    "grader.progress()",
    'grader.debug("centre")',
    'grader.debug("center")',
    """import linecache, sys, traceback
try:
    grader.debug("spread")
except ZeroDivisionError as error:
    frame = traceback.extract_tb(error.__traceback__)[-1]
print(frame.name, frame.line, linecache.getline(frame.filename, frame.lineno).strip())""",
]


def test_a_breakpoint_stops_in_a_kernel_without_an_editor(folder: Path, assignment: Assignment) -> None:
    """The hook of kernels would go on. pdb asks for input, which a kernel without a front end refuses."""
    path = folder / "means.ipynb"
    notebook = nbformat.read(path, as_version=4)
    fill(notebook, assignment.reference.replace("return x - means", "breakpoint()\n    return means - x"))
    notebook.cells = [cell for cell in notebook.cells if "check_all" not in cell.source]
    notebook.cells.append(nbformat.v4.new_code_cell('grader.debug("center")'))
    nbformat.write(notebook, path)
    *_, debugged = executed(path, allow_errors=True)
    assert [output.ename for output in debugged.outputs if output.output_type == "error"] == [
        "StdinNotImplementedError"
    ]


def test_the_function_itself_may_be_asked_for(folder: Path) -> None:
    """As people type it; and without a name all are checked."""
    grader = Grader(Examples(folder))

    def centre() -> None:
        """Stand for a slip."""

    assert "Did you mean center?" in repr(grader.check(centre))
    assert repr(grader.check()) == repr(grader.check_all())
    assert "center" in repr(grader.repro(centre))


@pytest.mark.parametrize("magic", ["time", "capture"])
def test_a_cell_that_begins_with_a_magic_counts(folder: Path, assignment: Assignment, magic: str) -> None:
    """A kernel keeps it as a call that holds its text."""
    typed = f"get_ipython().run_cell_magic({magic!r}, '', {assignment.reference!r})\n"
    result = Examples(folder).of_notebook({"In": ["", typed]})
    assert result.all_passed
    assert Examples(folder).of_notebook({"In": ["", typed.replace(magic, "bash", 1)]}).score == 0


def test_a_running_notebook_has_what_the_terminal_has(folder: Path, assignment: Assignment) -> None:
    """Hints, the next exercise, a case as code, and a case run in the kernel, where debuggers stop in the cell."""
    path = folder / "means.ipynb"
    notebook = nbformat.read(path, as_version=4)
    hook = "import sys\nsys.breakpointhook = lambda: print('stopped', sys._getframe(1).f_code.co_filename)"
    wrong = assignment.reference.replace("return x - means", "breakpoint()\n    return means - x")
    wrong = wrong.replace("squares = center(x) ** 2", "1 / 0\n    squares = center(x) ** 2")
    fill(notebook, wrong)
    notebook.cells = [cell for cell in notebook.cells if "check_all" not in cell.source]
    notebook.cells += [nbformat.v4.new_code_cell(text) for text in (hook, *WITH_HELP)]
    nbformat.write(notebook, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbclient import NotebookClient

        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        ).execute()
    *_, first, second, program, following, progress, slip, debugged, raised = notebook.cells
    assert "center, hint 1 of 2" in shown(first)
    assert "center, hint 2 of 2" in shown(second)
    assert "# Run this in a cell of your notebook" in shown(program)
    assert shown(following).startswith("Next: center\n")  # the README of this course has no sections
    assert "1 of 3" in shown(following)
    assert "Your difference is the wrong way around." in shown(following, "text/html")
    assert "✗ center   ← you are here" in shown(progress)
    printed = ["".join(output.get("text", "") for output in cell.outputs) for cell in (slip, debugged, raised)]
    assert "Did you mean center?" in printed[0]
    assert "stopped" in printed[1]
    assert "stopped cell [" not in printed[1]
    assert "instead of -0.5" in printed[1]
    assert printed[2].endswith("spread 1 / 0 1 / 0\n")


def test_a_slip_in_an_exercises_name_is_answered(folder: Path) -> None:
    """By what may be meant, in the text and in the HTML."""
    told = Grader(Examples(folder)).check("centre")
    assert "Did you mean center?" in repr(told)
    assert "Did you mean center?" in (told._repr_html_() or "")


def test_a_running_notebook_gets_the_verdicts_of_the_file(folder: Path, assignment: Assignment) -> None:
    """Case by case, with status, diagnosis and words, of right, wrong and unwritten code."""
    bundle = public_bundle(public_oracle(assignment))
    for text in (assignment.reference, assignment.reference.replace(*WRONG), assignment.stub):
        notebook = nbformat.read(folder / "means.ipynb", as_version=4)
        fill(notebook, text)
        cells = ["", *(cell.source for cell in notebook.cells if cell.cell_type == "code")]
        mine = Examples(folder).of_notebook({"In": cells})
        file = check(Source.of("means.py", text), bundle)
        told = [[(c.name, c.status, c.diagnosis, c.lead) for _, _, c in verdicts(result)] for result in (mine, file)]
        lines = [[(*case[:3], re.sub(r"line \d+", "line", case[3])) for case in cases] for cases in told]
        assert lines[0] == lines[1]
