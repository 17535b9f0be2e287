"""The ways to run one submission that `bench.py` compares, each of which knows the right verdict."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import stored_records
from autograder.classroom.record import Graded
from autograder.classroom.result_keys import exercise_bases
from autograder.classroom.stored_result import finished
from autograder.classroom.submissions import Submission
from autograder.judge.grade import grade
from autograder.judge.outcomes_alike import answers_of
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.pages.student_files import OneStudent, write_student
from autograder.sandbox.job import Sandbox, Source

HERE = Path(__file__).resolve().parent
BLOCK = 20
FLOOR = "bare fork, no sandbox"


@dataclass(frozen=True)
class HandedIn:
    """A submission, and whether it deserves full marks."""

    text: str
    right: bool


class WrongVerdictError(RuntimeError):
    """A fast answer that is not the right one is worth no measurement."""


class Contestant(Protocol):
    """A way to run one submission after another."""

    name: str
    block: int  # submissions in each round

    def run(self, handed_in: HandedIn) -> None:
        """Run one submission to its end. Raises WrongVerdictError where what comes out is not what is known."""


class Fork:
    """The floor: a server of its own process that forks."""

    name = FLOOR
    block = BLOCK

    def __init__(self, oracle: Oracle) -> None:
        calls = [
            (request.function, request.args, dict(request.kwargs))
            for trial in oracle.trials
            for request in trial.requests
        ]
        self._server = subprocess.Popen(
            [sys.executable, "-B", str(HERE / "floor.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what numpy warns of in wrong submissions
            bufsize=0,
        )
        self._send(oracle.assignment.torch)
        self._send(calls)

    def run(self, handed_in: HandedIn) -> None:
        """Have a child run a submission, and judge nothing."""
        self._send(handed_in.text)
        answer = self._server.stdout.read(1) if self._server.stdout else b""
        if answer != b".":
            raise WrongVerdictError(f"{self.name}: the child did not get to the end")

    def close(self) -> None:
        """End the server."""
        for stream in (self._server.stdin, self._server.stdout):
            if stream:
                stream.close()
        self._server.wait()

    def _send(self, message: object) -> None:
        if self._server.stdin:
            data = memoryview(pickle.dumps(message))
            while data:
                data = data[self._server.stdin.write(data) or 0 :]


class Ours:
    """The grader itself, judging and diagnosing included, in one sandbox."""

    def __init__(self, name: str, oracle: Oracle, sandbox: Sandbox, block: int) -> None:
        self.name, self.block = name, block
        self.sandbox, self.oracle = sandbox, oracle

    def run(self, handed_in: HandedIn) -> None:
        """Grade a submission."""
        self.graded(handed_in)

    def graded(self, handed_in: HandedIn) -> tuple[Source, Result]:
        """Return a submission's source and its result."""
        source = Source.of(self.oracle.assignment.file, handed_in.text)
        result = grade(source, self.oracle, self.sandbox)
        if result.problem or result.all_passed != handed_in.right:
            raise WrongVerdictError(f"{self.name}: {result.score:g} of {result.max_score:g} points. {result.problem}")
        return source, result


class RightOnly:
    """The grader on correct submissions: in the place of each that is wrong, the reference with a comment of its own."""

    def __init__(self, ours: Ours) -> None:
        self.name, self.block = f"{ours.name}, right only", ours.block
        self._ours, self._numbers = ours, itertools.count()

    def run(self, handed_in: HandedIn) -> None:
        """Grade a submission that is right."""
        self.graded(handed_in)

    def graded(self, handed_in: HandedIn) -> tuple[Source, Result]:
        """Return the source and the result of a submission, or of the one in its place."""
        if not handed_in.right:
            text = f"{self._ours.oracle.assignment.reference}\n# right {next(self._numbers)}\n"
            handed_in = HandedIn(text, right=True)
        return self._ours.graded(handed_in)


class Published:
    """The grader on correct submissions, with the gradebook and the files of each student; those of the class come once."""

    def __init__(self, ours: Ours, book: Gradebook) -> None:
        self.name, self.block = f"{ours.name}, right only, published", ours.block
        self._right, self._sandbox, self._book = RightOnly(ours), ours.sandbox, book
        book.describe(ours.oracle.assignment, ours.oracle.seed)
        self._run = book.begin(ours.sandbox.isolation)
        self._keys = {name: basis.key for name, basis in exercise_bases(ours.oracle).items()}
        self._students = (f"s{number:05}" for number in itertools.count())

    def run(self, handed_in: HandedIn) -> None:
        """Grade a submission, write it down and write the student's files."""
        began = time.monotonic()
        source, result = self._right.graded(handed_in)
        submission = Submission(next(self._students), source.chunks[0].label, source)
        graded = Graded(submission, result, self._sandbox.isolation, time.monotonic() - began)
        self._book.save(finished(graded), self._keys, frozenset(self._keys), self._run)
        (stored,) = stored_records(self._book, [submission.student])
        write_student(self._book.folder, self._book.facts, OneStudent(stored, (), None))


PYTEST_FILE = '''\
"""The cases of an assignment as tests."""

import pickle
from pathlib import Path

import pytest
import {module}
from autograder.course.spec import Answer
from autograder.sandbox.child.wire_format import decode, encode

CASES = pickle.loads(Path("cases.pickle").read_bytes())


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_case(case):
    _, check, names, calls, expected = case
    got = []
    for name, call in zip(names, calls):
        value = getattr({module}, name)(*call.args, **call.kwargs)
        got.append(Answer(*decode(encode((value, call.args)))))
    assert check.judge(calls, tuple(got), expected) is None
'''


class Pytest:
    """A new pytest for each submission, on the same calls and checks."""

    name = "pytest"
    block = 1

    def __init__(self, oracle: Oracle, folder: Path) -> None:
        self._folder, self._file = folder, folder / oracle.assignment.file
        (folder / "test_cases.py").write_text(PYTEST_FILE.format(module=self._file.stem), encoding="utf-8")
        cases = [
            (
                f"{trial.case.exercise}-{trial.case.name}",
                trial.case.check,
                [request.function for request in trial.requests],
                trial.calls,
                answers_of(oracle.expected(trial)),
            )
            for trial in oracle.trials
        ]
        (folder / "cases.pickle").write_bytes(pickle.dumps(cases))

    def run(self, handed_in: HandedIn) -> None:
        """Test a submission."""
        self._file.write_text(handed_in.text, encoding="utf-8")
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_cases.py"]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        ran = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True, check=False)
        if ran.returncode != (0 if handed_in.right else 1):
            raise WrongVerdictError(f"{self.name}: {ran.stdout.decode()}{ran.stderr.decode()}")
