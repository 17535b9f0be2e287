"""There and back with otter itself: `otter assign` on our master, `otter run` on what students hand in.

`make test-otter` runs this in an environment that has otter-grader; the suite does not collect it. What of otter's bundle
needs no otter is in test_otter.py.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import COURSE, SLUG
from nbclient import NotebookClient
from otter_support import EXPLOITS, WRONG, notebook

from autograder.classroom.submissions import Submission, read_submissions
from autograder.command.demo import write_class
from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.levels import open_sandbox
from autograder.submission.written_exercises import Stub

ROOT = Path(__file__).parents[1]
BIG, SEED = "a5_attention", 23
FILES, NOTEBOOKS = 8, 4  # of the demo class; each takes otter seconds
QUIET = {**os.environ, "JUPYTER_PLATFORM_DIRS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def bundle(folder: Path, course: Path, slug: str) -> Path:
    """Run `autograder otter`, and so `otter assign`, which grades the solution and fails where that loses a point."""
    command = [sys.executable, "-m", "autograder.cli", "otter", slug, "--course", str(course), "-o", str(folder)]
    subprocess.run([*command, "--seed", str(SEED)], check=True, env=QUIET)
    return folder / f"{slug}-otter"


@pytest.fixture(scope="module")
def big(tmp_path_factory) -> Path:
    """Return the bundle of an assignment whose second exercise uses its eighth."""
    return bundle(tmp_path_factory.mktemp("big"), ROOT, BIG)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Return the bundle of the tiny course's first assignment."""
    return bundle(tmp_path_factory.mktemp("tiny"), COURSE, SLUG)


def otter_run(made: Path, submission: Path, out: Path) -> dict[str, Any]:
    """Run `otter run` and return what it wrote."""
    out.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "otter", "run", "-a", str(made / "autograder.zip"), "-o", str(out), "--no-logo"]
    subprocess.run([*command, str(submission)], check=True, env=QUIET, cwd=out)
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


def points(answer: dict[str, Any]) -> dict[str, float]:
    """Return the points of each question."""
    return {test["name"]: test["score"] for test in answer["tests"] if "score" in test}


@pytest.mark.parametrize("name", ["means.py", "means.ipynb"])
def test_the_reference_gets_full_marks(made, tmp_path, name):
    """As the solution notebook that otter made, and as a file."""
    path = made / "solution" / name
    if name.endswith(".py"):
        path = tmp_path / name
        path.write_text(load_assignment(COURSE, SLUG).reference)
    assert points(otter_run(made, path, tmp_path)) == {"row_means": 2, "center": 2, "spread": 3}


def test_the_stub_gets_zero(made, tmp_path):
    """The student's notebook as it is handed out."""
    answer = otter_run(made, made / "student" / "means.ipynb", tmp_path)
    assert set(points(answer).values()) == {0}
    assert "MISSING" in json.dumps(answer)


@pytest.mark.parametrize("name", EXPLOITS)
def test_what_is_known_to_work_against_otter_does_not(made, tmp_path, name):
    """A results file, and no point in it, whatever the notebook did."""
    marker = tmp_path / "marker"
    path = tmp_path / "means.ipynb"
    path.write_text(notebook(WRONG + EXPLOITS[name].replace("@MARKER@", repr(str(marker)))))
    answer = otter_run(made, path, tmp_path / "out")
    assert set(points(answer).values()) == {0}
    assert "BREACH" not in json.dumps(answer)
    assert not marker.exists()


def test_a_zip_cannot_bring_modules_or_a_log_of_its_own(made, tmp_path):
    """Otter unpacks it beside its tests and unpickles its log; the judge has emptied the folder before."""
    marker = tmp_path / "marker"
    code = f"open({str(marker)!r}, 'w').write(__name__)\n"
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as archive:
        archive.writestr("means.ipynb", notebook(WRONG))
        for name in ("otter/__init__.py", "dill.py", "check.py", "sitecustomize.py", "engine/autograder/__init__.py"):
            archive.writestr(name, code)
        archive.writestr(".OTTER_LOG", b"cbuiltins\nopen\n(V" + str(marker).encode() + b"\nVw\ntR.")
        archive.writestr("tests/center.py", code)
    answer = otter_run(made, tmp_path / "work.zip", tmp_path / "out")
    assert set(points(answer).values()) == {0}
    assert not marker.exists()


def run_all(folder: Path, name: str, work: Path) -> list[str]:
    """Run all cells of a notebook in a copy of its folder and return what each of its check cells shows."""
    shutil.copytree(folder, work)
    cells = nbformat.read(work / name, 4)
    NotebookClient(cells, timeout=300, resources={"metadata": {"path": str(work)}}, allow_errors=False).execute()
    checks = [c for c in cells["cells"] if c["cell_type"] == "code" and c["source"].startswith("grader.check")]
    return ["".join(o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in c["outputs"]) for c in checks]


def test_the_students_notebook_checks_itself_with_otter(made, tmp_path):
    """A student runs all cells: `grader.check` is otter's own, and asks the check that travels with the notebook."""
    shown = run_all(made / "student", "means.ipynb", tmp_path / "work")
    assert all("MISSING" in text and "hidden" not in text for text in shown)


def test_the_solution_notebook_is_green_on_run_all(made, big, tmp_path):
    """Every check, in the order of the notebook; hidden cases say that they are hidden."""
    for number, (folder, file) in enumerate(((made, "means.ipynb"), (big, f"{BIG.partition('_')[2]}.ipynb"))):
        shown = run_all(folder / "solution", file, tmp_path / str(number))
        assert len(shown) > 3
        assert all("All test cases passed!" in text and "failed" not in text for text in shown), shown
        assert all("is hidden: it runs when the notebook is graded." in text for text in shown), shown


@pytest.mark.parametrize(("name", "content"), [("means.ipynb", '{"cells": ['), ("means.txt", "Dear Sir")])
def test_what_otter_leaves_without_results_our_runner_does_not(made, tmp_path, name, content):
    """`otter run` ends in a traceback; `python -m autograder.integrations.otter_run` in a file that says what to do."""
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(subprocess.CalledProcessError):
        otter_run(made, path, tmp_path / "otter")
    command = [sys.executable, "-m", "autograder.integrations.otter_run", str(made / "autograder.zip"), str(path)]
    subprocess.run([*command, str(tmp_path)], check=True, env=QUIET)
    answer = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert answer["score"] == 0
    assert answer["output"]


def test_our_runner_grades_what_can_be_read(made, tmp_path):
    """The same points by the way that otter's container goes."""
    path = tmp_path / "anything.py"
    path.write_text(load_assignment(COURSE, SLUG).reference)
    command = [sys.executable, "-m", "autograder.integrations.otter_run", str(made / "autograder.zip"), str(path)]
    subprocess.run([*command, str(tmp_path)], check=True, env=QUIET)
    answer = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert sum(points(answer).values()) == 7


def handed_in(submission: Submission, folder: Path) -> Path:
    """Write a submission's code as a file or notebook again."""
    folder.mkdir()
    texts = [chunk.text for chunk in submission.source.chunks]
    path = folder / ("attention.ipynb" if submission.source.notebook else "attention.py")
    if submission.source.notebook:
        cells = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
        nbformat.write(cells, path)
    else:
        path.write_text(texts[0], encoding="utf-8")
    return path


def some(readable: list[Submission], count: int, *, notebook: bool) -> list[Submission]:
    """Return a few of the notebooks, or of the files, from everywhere in the class."""
    alike = [submission for submission in readable if submission.source.notebook == notebook]
    return alike[:: len(alike) // count][:count]


def test_otters_set_up_installs_bubblewrap(made):
    """In the script that otter itself generates, after it has asked for the lists of packages."""
    with zipfile.ZipFile(made / "autograder.zip") as archive:
        script = archive.read("setup.sh").decode()
    assert 0 < script.index("apt-get update") < script.index("apt-get install -y bubblewrap")


def test_students_get_the_score_of_our_own_grader(big, tmp_path):
    """Some of the demo class, right and wrong, in files and notebooks: every exercise has the same points either way."""
    assignment = load_assignment(ROOT, BIG)
    readable = [
        s for s in read_submissions(write_class(assignment, tmp_path / "class"), Stub.of(assignment)) if s.source
    ]
    chosen = [*some(readable, FILES, notebook=False), *some(readable, NOTEBOOKS, notebook=True)]
    oracle = Oracle(assignment, SEED)
    with open_sandbox(1) as sandbox:
        ours = [grade(submission.source, oracle, sandbox) for submission in chosen]
    assert len({result.score for result in ours}) > 2
    assert len(chosen) == FILES + NOTEBOOKS
    for number, (submission, result) in enumerate(zip(chosen, ours, strict=True)):
        path = handed_in(submission, tmp_path / str(number))
        theirs = points(otter_run(big, path, tmp_path / f"out{number}"))
        assert theirs == pytest.approx({e.name: e.score for e in result.exercises}, abs=1e-4), submission.student
