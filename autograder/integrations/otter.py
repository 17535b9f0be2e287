"""Write an assignment for otter: a master notebook and the files that `otter assign` needs beside it.

Solution regions keep their markers, which otter shares with us, and get our stubs as prompts. Each case is a test in otter's
exception format that calls `check.examples`. On a student's computer this is the handout's check; when grading, it reads the
verdicts that our judge has found in another process (`otter_run.py`). So no hidden case runs beside student code.
"""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.course.catalog import readme_of
from autograder.course.language import say, speaking
from autograder.course.places import CourseError
from autograder.course.spec import Assignment, Visibility
from autograder.course.stub import BEGIN, END, StubError, render_stub
from autograder.handout.handout import at_home, engine_files, for_notebook, handout_files, template, write_files
from autograder.handout.leaks import leaks, secrets_of
from autograder.handout.named_at_home import Shown, named_at_home, unseen
from autograder.handout.write_notebook import check_cell, checks_in_order, notebook_cells, written
from autograder.handout.zips import zip_bytes
from autograder.integrations.one_submission import NEEDS, TORCH, Settings, desk_files
from autograder.integrations.wheel import NAME, wheel
from autograder.judge.training_outcome import FIRST_STEPS
from autograder.oracle.oracle import Oracle

JUDGE = "autograder.integrations.otter_run.Judge"
PYTHON = "3.12"
MISSING = "otter-grader is not installed here. Run: {python} -m pip install 'otter-grader[grading]'"
_TEMPLATES = Path(__file__).resolve().parent / "templates"
_SETUP_SH = "setup.sh"
_OURS = ("files/desk/", f"files/{NAME}")  # the part of a bundle's files/ that grading needs


def make_otter(course: Path, oracle: Oracle, settings: Settings, out: Path, shown: Shown = unseen) -> list[Path]:
    """Run `otter assign` and write master/, student/, solution/ and autograder.zip to a folder; return their paths.

    The oracle is of public cases; `shown` is as `named_at_home` takes it. Raises CourseError where otter is missing or fails, or where
    its student version gives something away.
    """
    assignment = oracle.assignment
    if assignment.files:
        raise CourseError(
            f"{assignment.slug} has several files, and otter hands out one notebook. Give students the handout, and grade with "
            "autograder grade or a Gradescope bundle; or put all exercises into one `file`."
        )
    if importlib.util.find_spec("otter") is None:
        raise CourseError(MISSING.format(python=sys.executable))
    if out.exists() and any(out.iterdir()):
        raise CourseError(f"{out} is not empty. Name another folder, or remove it first.")
    readme = readme_of(course, assignment.slug)
    with tempfile.TemporaryDirectory() as name:
        master, made = Path(name) / "master", Path(name) / "made"
        write_files(otter_files(course, oracle, settings) | named_at_home(oracle, shown), master)
        _assign(master / f"{Path(assignment.file).stem}.ipynb", made)
        _tidy(made / "student" / f"{Path(assignment.file).stem}.ipynb")
        student = {p.relative_to(made / "student").as_posix(): p for p in (made / "student").rglob("*") if p.is_file()}
        texts = {inside: path.read_bytes() for inside, path in student.items()}
        for fault in leaks(texts, secrets_of(oracle, readme), engine_files()):
            raise CourseError(f"{assignment.slug}: otter's student version: {fault}. Nothing was written to {out}.")
        (archive,) = (made / "autograder").glob("*-autograder_*.zip")
        out.mkdir(parents=True, exist_ok=True)
        (out / "autograder.zip").write_bytes(graders_zip(archive.read_bytes()))
        archive.unlink()
        for folder, target in ((master, "master"), (made / "student", "student"), (made / "autograder", "solution")):
            shutil.copytree(folder, out / target)
    return [out / name for name in ("master", "student", "solution", "autograder.zip")]


def _assign(master: Path, made: Path) -> None:
    """Run `otter assign`, which also grades the solution. Raises CourseError where that has not full marks."""
    command = [sys.executable, "-m", "otter", "assign", "--no-pdfs", str(master), str(made)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=master.parent)
    if ran.returncode:
        raise CourseError(f"otter assign failed: {(ran.stdout + ran.stderr).strip()[-2000:]}")


def _tidy(path: Path) -> None:
    """Remove the cells of a student's notebook that are empty without the solution."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if "".join(cell["source"]).strip()]
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def graders_zip(data: bytes) -> bytes:
    """Return otter's zip with our run_otter.py, and bubblewrap in what its setup.sh installs.

    Copies of students' files are left out, since they would overwrite theirs.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {n: archive.read(n) for n in archive.namelist() if not n.endswith("/")}
    kept = {n: data for n, data in files.items() if not n.startswith("files/") or n.startswith(_OURS)}
    if _SETUP_SH in kept:
        kept[_SETUP_SH] += _template(_SETUP_SH)
    return zip_bytes({**kept, "run_otter.py": _template("run_otter.py.txt")})


def _template(name: str) -> bytes:
    return (_TEMPLATES / "otter" / name).read_bytes()


def otter_files(course: Path, oracle: Oracle, settings: Settings) -> dict[str, bytes]:
    """Return the files that `otter assign` reads, by path. The oracle is of public cases."""
    assignment = oracle.assignment
    notebook = f"{Path(assignment.file).stem}.ipynb"
    handout = handout_files(course, oracle)
    files = {n: d for n, d in handout.items() if n != notebook}  # otter makes it
    desk = {f"desk/{name}": data for name, data in desk_files(course, settings).items()}
    master = master_notebook(course, assignment, settings, sorted({n.partition("/")[0] for n in files}))
    return {notebook: master.encode(), NAME: wheel(JUDGE.rpartition(".")[0]), **files, **desk}


def master_notebook(course: Path, assignment: Assignment, settings: Settings, files: list[str]) -> str:
    """Return the text of the master notebook in the course's language; `files` are what students get besides it."""
    with speaking(assignment.language):
        return written(_master_cells(course, assignment, settings, files))


def _master_cells(
    course: Path, assignment: Assignment, settings: Settings, files: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield every cell as (kind, text): the handout's notebook with solutions, and otter's words around exercises."""
    readme = readme_of(course, assignment.slug)
    text = at_home(marked(assignment), assignment)
    tested = tuple(exercise for exercise in assignment.exercises if not (exercise.training or exercise.manual))
    start = template("otter_start.md", {})
    prose = for_notebook(at_home(readme, assignment), assignment)
    checks = {check_cell(exercise): exercise.name for exercise in tested}
    cells = notebook_cells(prose, text, tested, start, _SETUP)
    yield "raw", _config(assignment, files)
    waiting: list[str] = []
    for kind, cell in checks_in_order(cells, assignment, tested):
        if cell in checks:
            yield from _question(assignment, checks[cell], waiting)
            waiting = []
        elif kind == "prose":
            yield from (("code", code) for code in waiting)
            waiting = []
            yield kind, cell
        elif cell != _SETUP:
            waiting.append(cell)
    yield from (("code", code) for code in waiting)
    for training in assignment.trainings if settings.training else ():
        told = say(
            "**{exercise}** is trained and measured when it is graded; it has no check here.",
            exercise=training.exercise,
        )
        yield "prose", told
        yield from _question(assignment, training.exercise, [])


_SETUP = "# otter writes the cell that stands here"


def _config(assignment: Assignment, files: list[str]) -> str:
    """Return the assignment's settings for otter; YAML takes JSON for lists and strings."""
    needs = [*(TORCH if assignment.torch else ()), *NEEDS, *assignment.requires, f"/autograder/source/files/{NAME}"]
    settings = {
        "requirements": needs,
        "python_version": PYTHON,
        "export_cell": False,
        "strip_solutions_from_all_cells": True,
        "tests": {"files": True, "ok_format": False},
        "files": files,
        "autograder_files": ["desk", NAME],
        "plugins": [JUDGE],
    }
    return "# ASSIGNMENT CONFIG\n" + "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())


def _question(assignment: Assignment, exercise: str, code: list[str]) -> Iterator[tuple[str, str]]:
    """Yield an exercise's cells with its cases as tests; given code before its own is outside of the question."""
    own = next((i for i, text in enumerate(code) if BEGIN in text), len(code))
    yield from (("code", text) for text in code[:own])
    checked = exercise not in {training.exercise for training in assignment.trainings}
    yield "raw", f"# BEGIN QUESTION\nname: {exercise}\ncheck_cell: {json.dumps(checked)}"
    if code[own:]:
        yield "raw", "# BEGIN SOLUTION"
        yield from (("code", text) for text in code[own:])
        yield "raw", "# END SOLUTION"
    yield "raw", "# BEGIN TESTS"
    for name, points, hidden in worth(assignment, exercise):
        head = f'""" # BEGIN TEST CONFIG\npoints: {points!r}\nhidden: {json.dumps(hidden)}\n""" # END TEST CONFIG\n'
        method = "hidden_in_notebook" if hidden else "in_notebook"
        body = f"    from check import examples\n    examples.{method}(env, {f'{exercise}.{name}'!r})"
        yield "code", f"{head}def test_{name}(env):\n{body}"
    yield "raw", "# END TESTS"
    yield "raw", "# END QUESTION"


def worth(assignment: Assignment, exercise: str) -> list[tuple[str, float, bool]]:
    """Return name, points and whether it is hidden for each case of an exercise."""
    points = next(e.points for e in assignment.exercises if e.name == exercise)
    rows = [(c.name, c.weight, c.visibility is Visibility.HIDDEN) for c in assignment.cases_of(exercise)]
    for training in assignment.trainings:
        if training.exercise == exercise:
            rows += [(FIRST_STEPS, 1.0, True), *((m.name, m.weight, True) for m in training.metrics)]
    weight = sum(row[1] for row in rows)
    return [(name, points * part / weight, hidden) for name, part, hidden in rows]


def marked(assignment: Assignment) -> str:
    """Return the reference for otter, with the stub's text as a prompt in each solution region.

    Raises StubError where the lines of stub and reference do not correspond.
    """
    stub = render_stub(assignment).splitlines(keepends=True)
    lines, at, inside = [], 0, False
    for line in assignment.reference.splitlines(keepends=True):
        if line.strip() == BEGIN:
            inside = True
            lines.append(line.replace(BEGIN, f"{BEGIN} NO PROMPT"))
        elif line.strip() == END:
            inside = False
            lines.append(line)
            if at < len(stub) and stub[at].lstrip().startswith("raise NotImplementedError("):
                indent = stub[at][: -len(stub[at].lstrip())]
                lines += [f'{indent}""" # BEGIN PROMPT\n', stub[at], f'{indent}""" # END PROMPT\n']
                at += 1
        else:
            lines.append(line)
            if not inside and stub[at : at + 1] != [line]:
                raise StubError(f"{assignment.file}: the line {line.strip()!r} is not where the stub has it.")
            at += not inside
    return "".join(lines)
