"""Measure two other graders on the question of b1_masked_softmax, beside ours, in one interleaved run.

otter-grader grades one notebook a process (`otter run`), nbgrader a class (`nbgrader autograde`); both run in an
environment of their own. They get the same correct solution in a notebook and the same three checks as assertions.
nbgrader is run on a class of 5 and on one of 10: the difference is what each further submission costs, without the
start that a large class would not notice.

Ours is measured twice: grading alone, and a whole class with everything that lands on disk (results, grades, a feedback
page each, the report).
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import Record, arguments, cpu_of_children, layout, machine, measure, prepare, short, submissions, warm
from contestants import BLOCK, HERE, Contestant, HandedIn, WrongVerdictError

from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.run import carry_out
from autograder.classroom.still_to_grade import Choices, make_plan
from autograder.classroom.submissions import Submission
from autograder.command.progress import Lines
from autograder.oracle.oracle import Oracle
from autograder.pages.class_files import publish
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.process import ENVIRONMENT

QUESTION = (HERE / "course", "b1_masked_softmax")
ROUNDS = 3
FEW, MANY = 5, 10  # submissions in nbgrader's two classes
CLASS = 5 * BLOCK  # and in ours
POINTS = 3
CHECKS = {
    "two_of_three_keys": """\
got = masked_softmax(torch.tensor([[0.0, 0.0, 5.0]]), torch.tensor([[True, True, False]]))
torch.testing.assert_close(got, torch.tensor([[0.5, 0.5, 0.0]]))""",
    "rows_of_any_batch": """\
draw = torch.Generator().manual_seed(0)
for leading in ((), (2,), (2, 3)):
    scores = torch.randn(*leading, 4, 6, generator=draw)
    mask = torch.rand(*leading, 4, 6, generator=draw) < 0.5
    mask[..., 0] = True
    expected = torch.softmax(torch.where(mask, scores, float("-inf")), dim=-1)
    torch.testing.assert_close(masked_softmax(scores, mask), expected)""",
    "large_scores_do_not_overflow": """\
scores = torch.tensor([[1000.0, 1001.0, 999.0], [-1000.0, -1001.0, -999.0]])
mask = torch.tensor([[True, True, False], [False, True, True]])
expected = torch.softmax(torch.where(mask, scores, float("-inf")), dim=-1)
torch.testing.assert_close(masked_softmax(scores, mask), expected)""",
}


class Tool:
    """The commands of an environment, run away from the settings of the user."""

    def __init__(self, environment: Path, home: Path) -> None:
        self._bin = environment / "bin"
        if not (self._bin / "otter").exists():
            raise SystemExit(f"{environment} holds no otter-grader; make bench-peers installs it")
        path = f"{self._bin}{os.pathsep}{os.defpath}"
        self._settings = {
            "PATH": path,
            "HOME": str(home),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "LC_ALL": "C.UTF-8",
            **ENVIRONMENT,
        }

    def run(self, folder: Path, name: str, *words: str) -> None:
        """Run a command to its end. Raises WrongVerdictError where it fails."""
        command = [str(self._bin / name), *words]
        ran = subprocess.run(command, cwd=folder, env=self._settings, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise WrongVerdictError(f"{name} {words[0]}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}")


class Otter:
    """`otter run`: one process, one notebook, three hidden tests of one point each."""

    name = "otter run"
    block = 2

    def __init__(self, tool: Tool, folder: Path) -> None:
        folder.mkdir()
        self._tool, self._folder = tool, folder
        tests = folder / "tests"
        tests.mkdir()
        (folder / "out").mkdir()
        cases = "\n".join(
            f"@test_case(points=1, hidden=True)\ndef test_{name}(masked_softmax):\n" + _indented(check)
            for name, check in CHECKS.items()
        )
        head = 'import torch\nfrom otter.test_files import test_case\n\nOK_FORMAT = False\nname = "masked_softmax"\n'
        (tests / "masked_softmax.py").write_text(f"{head}points = None\n\n{cases}", encoding="utf-8")
        tool.run(folder, "otter", "generate", "-t", "tests", "-o", "grader.zip", "--no-environment", "--no-config")

    def run(self, handed_in: HandedIn) -> None:
        """Grade one notebook."""
        _write(self._folder / "question.ipynb", [_cell(handed_in.text)])
        self._tool.run(self._folder, "otter", "run", "-a", "grader.zip", "-o", "out", "--no-logo", "question.ipynb")
        tests = json.loads((self._folder / "out" / "results.json").read_text(encoding="utf-8"))["tests"]
        points = sum(test.get("score", 0.0) for test in tests)
        if points != POINTS:
            raise WrongVerdictError(f"otter run: {points:g} of {POINTS} points: {tests}")


class Nbgrader:
    """`nbgrader autograde` on a class: one notebook each, three test cells of one point each."""

    def __init__(self, tool: Tool, folder: Path, handed_in: Sequence[HandedIn]) -> None:
        folder.mkdir()
        self._tool, self._folder, self.count = tool, folder, len(handed_in)
        (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n")
        stub = "def masked_softmax(scores, mask):\n    ### BEGIN SOLUTION\n    ### END SOLUTION\n"
        self._notebook(folder / "source" / "ps1", stub)
        for number, one in enumerate(handed_in):
            self._notebook(folder / "submitted" / f"student{number:02}" / "ps1", one.text)
        tool.run(folder, "nbgrader", "generate_assignment", "ps1")

    def run(self) -> None:
        """Grade the whole class, also what is graded already."""
        self._tool.run(self._folder, "nbgrader", "autograde", "ps1", "--force")
        with sqlite3.connect(self._folder / "gradebook.db") as book:
            ((points,),) = book.execute("SELECT SUM(auto_score) FROM grade")
        if points != POINTS * self.count:
            raise WrongVerdictError(f"nbgrader autograde: {points} of {POINTS * self.count} points")

    def _notebook(self, folder: Path, text: str) -> None:
        folder.mkdir(parents=True)
        cells = [_cell(text, nbgrader=_role("solution", solution=True))]
        for name, check in CHECKS.items():
            cells.append(_cell(f"import torch\n{check}", nbgrader=_role(name, grade=True, locked=True, points=1)))
        _write(folder / "question.ipynb", cells)


def _role(name: str, **given: Any) -> dict[str, Any]:
    """Return what nbgrader keeps about a cell."""
    plain = dict.fromkeys(("grade", "solution", "locked", "task"), False)
    return {**plain, "schema_version": 3, "cell_type": "code", "grade_id": name, **given}


def _cell(text: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": text, "metadata": metadata, "outputs": [], "execution_count": None}


def _write(path: Path, cells: list[dict[str, Any]]) -> None:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {"kernelspec": kernel}, "cells": cells}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


class WholeClass:
    """Ours from submissions in memory to the last file, in a sandbox that is open already."""

    def __init__(self, oracle: Oracle, sandbox: Sandbox, out: Path, handed_in: Sequence[HandedIn]) -> None:
        self._oracle, self._sandbox, self._out, self.count = oracle, sandbox, out, len(handed_in)
        file = oracle.assignment.file
        self._submissions = [
            Submission(f"student{number:03}", file, Source.of(file, one.text)) for number, one in enumerate(handed_in)
        ]

    def run(self) -> None:
        """Grade the class."""
        assignment = self._oracle.assignment
        with open_gradebook(self._out, assignment) as book:
            quiet = Lines(lambda _: None)
            seed = secrets.randbits(32)  # the class is the same in every round, and is to be graded all the same
            plan = make_plan(book, assignment, self._submissions, Choices(seed))
            carry_out(book, plan, self._sandbox, 1, quiet)
            publish(book)
        rows = (self._out / "grades.csv").read_text(encoding="utf-8").splitlines()
        if len(rows) != self.count + 1:
            raise WrongVerdictError(f"{len(rows) - 1} grades for {self.count} students")


def whole(tool: Nbgrader | WholeClass) -> tuple[float, float]:
    """Return the CPU and wall seconds that a class takes."""
    children, own, started = cpu_of_children(), time.process_time(), time.perf_counter()
    tool.run()
    wall, own = time.perf_counter() - started, time.process_time() - own
    return own + cpu_of_children() - children, wall


def compete(environment: Path, rounds: int) -> list[Record]:
    """Measure everyone, round after round."""
    oracle = prepare(*QUESTION)
    handed_in = submissions(oracle.assignment, CLASS)
    alike = [one for one in handed_in if one.right]
    with tempfile.TemporaryDirectory() as folder, warm(*QUESTION) as (floor, levels):
        home = Path(folder)
        tool = Tool(environment, home)
        if not levels:
            raise SystemExit("this machine has no warm sandbox to measure; autograder doctor says why")
        ours = levels[0]
        otter = Otter(tool, home / "otter")
        few, many = (Nbgrader(tool, home / f"nbgrader{count}", alike[:count]) for count in (FEW, MANY))
        everything = WholeClass(oracle, ours.sandbox, home / "ours", handed_in)
        turns: list[Contestant] = [floor, ours, otter]
        records = [Record(one.name) for one in turns]
        ours_whole = Record(f"{ours.name}, class of {CLASS} with all files")
        batch = Record(f"nbgrader autograde, class of {MANY}")
        further = Record("nbgrader autograde, each further one")
        for one in turns:
            one.run(alike[0])
        for turn in range(rounds):
            start = turn * BLOCK % CLASS
            for one, record in zip(turns, records, strict=True):
                measure(one, record, (alike if one is otter else handed_in[start:])[: one.block])
            ours_whole.add(*(part / CLASS for part in whole(everything)))
            first, second = whole(few), whole(many)
            batch.add(*(part / MANY for part in second))
            further.cpus.append((second[0] - first[0]) / (MANY - FEW))  # walls differ by what else the machine does
    return [*records[:2], ours_whole, further, batch, records[2]]


def main() -> None:
    """Measure, and print one table."""
    parser = arguments(__doc__, ROUNDS)
    parser.add_argument(
        "--environment", type=Path, default=HERE.parent / ".venv-peers", help="where the others are installed"
    )
    options = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    print(machine(), flush=True)
    records = compete(options.environment.resolve(), options.rounds)
    ours = records[1]
    rows = [["per submission", "CPU, ms", "wall, ms", "CPU / ours"]]
    rows += [
        [r.name, short(r.cpu * 1e3), short(r.wall * 1e3) if r.walls else "", f"{short(r.times(ours))}x"]
        for r in records
    ]
    print(layout(rows, markdown=options.markdown))


if __name__ == "__main__":
    main()
