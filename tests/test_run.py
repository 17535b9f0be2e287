"""Grading a class: everyone gets a record, whatever becomes of one of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from autograder.classroom import run as module
from autograder.classroom.record import Graded, Record, record
from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Isolation, Job, JobResult, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ProcessSandbox


def submission(student: str, text: str) -> Submission:
    """Return a submission of one file."""
    return Submission(student, f"{student}.py", Source("means", (Chunk("means.py", text),)))


class Cursed:
    """A sandbox that breaks on certain submissions, and otherwise is another one."""

    def __init__(self, sandbox: Sandbox, times: int = 1000) -> None:
        self._sandbox = sandbox
        self._times = times
        self.isolation: Isolation = sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Break, or run."""
        if "curse" in job.source.chunks[0].text and self._times > 0:
            self._times -= 1
            raise OSError("no descriptors left")
        return self._sandbox.run(job)

    def close(self) -> None:
        """Close the other one."""
        self._sandbox.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for what comes back after a failure."""
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)


def graded(oracle: Oracle, sandbox: Sandbox, submissions: Sequence[Submission], jobs: int = 2) -> dict[str, Record]:
    """Grade a class and return its records by student."""
    found = [record_of(oracle, one) for one in grade_class(oracle, submissions, sandbox, jobs)]
    assert len({entry.student for entry in found}) == len(found)
    return {entry.student: entry for entry in found}


def record_of(oracle: Oracle, one: Graded) -> Record:
    """Return a record."""
    return record(oracle.assignment, one.submission, one.result, one.isolation, oracle.seed, one.seconds)


def statuses(entry: Record) -> set[str]:
    """Return how a student's cases ended."""
    return {case.status for exercise in entry.exercises for case in exercise.cases}


def test_everyone_is_graded_once(sandbox: Sandbox, assignment: Assignment) -> None:
    """Right, unwritten, broken, hanging and unreadable ones side by side, each with a file of its own."""
    loop = assignment.reference.replace("squares = center(x) ** 2", "while True: pass")
    oracle = Oracle(replace(assignment, limits=replace(assignment.limits, case_seconds=0.4)), 0)
    students = [
        submission("right", assignment.reference),
        submission("stub", assignment.stub),
        submission("broken", "def f(:"),
        submission("loop", loop),
        Submission("unreadable", "unreadable.docx", None, "This is a Word document."),
    ]
    entries = graded(oracle, sandbox, students)
    assert {name: entry.score for name, entry in entries.items()} == {
        "right": 7, "stub": 0, "broken": 0, "loop": 4, "unreadable": 0,
    }  # fmt: skip
    assert entries["unreadable"].problem == "This is a Word document."
    assert statuses(entries["unreadable"]) == {"MISSING"}


def test_one_that_breaks_the_grader_does_not_lose_the_others(
    oracle: Oracle, sandbox: Sandbox, assignment: Assignment
) -> None:
    """It is marked as our failure, which costs the student nothing, and everyone else has a grade."""
    students = [submission(f"s{i}", assignment.reference + "# curse" * (i == 3)) for i in range(8)]
    entries = graded(oracle, Cursed(sandbox), students, jobs=3)
    assert len(entries) == 8
    assert statuses(entries["s3"]) == {"GRADER_ERROR"}
    assert entries["s3"].status == "grader_error"
    assert entries["s3"].problem.startswith("The grader itself failed here. That is not your doing")
    assert "OSError: no descriptors left" in entries["s3"].problem
    assert {entry.score for name, entry in entries.items() if name != "s3"} == {7}


def test_nobody_waits_after_the_last_try(
    oracle: Oracle, sandbox: Sandbox, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause comes before each further try, and helps nobody after it."""
    pauses: list[float] = []
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    graded(oracle, Cursed(sandbox), [submission("s1", assignment.reference + "# curse")])
    assert len(pauses) == module.TRIES - 1


def test_what_fails_once_on_our_side_is_tried_again(oracle: Oracle, sandbox: Sandbox, assignment: Assignment) -> None:
    """The student sees nothing of it."""
    (entry,) = graded(oracle, Cursed(sandbox, 1), [submission("s1", assignment.reference + "# curse")]).values()
    assert (entry.status, entry.score) == ("graded", 7)


def test_submissions_are_taken_as_they_are_needed(oracle: Oracle, sandbox: Sandbox, assignment: Assignment) -> None:
    """A class of thousands is never in the pool as a whole."""
    taken: list[int] = []

    def coming() -> Iterator[Submission]:
        for i in range(40):
            taken.append(i)
            yield submission(f"s{i}", assignment.stub)

    for done, _ in enumerate(grade_class(oracle, coming(), sandbox, 2), 1):
        assert len(taken) <= done + 6
    assert len(taken) == 40


@pytest.mark.parametrize("plain", [False, True], ids=["strongest", "plain"])
def test_stopping_starts_nothing_more_and_keeps_what_is_done(assignment: Assignment, plain: bool) -> None:
    """Whoever wants no more of a class waits for nobody's endless loop, and no half-graded record is written."""
    patient = replace(assignment, limits=replace(assignment.limits, case_seconds=60.0, total_seconds=60.0))
    loop = assignment.reference.replace("squares = center(x) ** 2", "while True: pass")
    students = [submission("a", assignment.stub), submission("b", loop)]
    students += [submission(f"c{i}", loop) for i in range(20)]
    with ProcessSandbox() if plain else open_sandbox(2) as sandbox:
        running = grade_class(Oracle(patient, 0), students, sandbox, 2)
        assert next(running).submission.student == "a"
        running.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("slot")]


def test_a_class_of_nobody_is_done(oracle: Oracle, sandbox: Sandbox) -> None:
    """No submissions, no records."""
    assert graded(oracle, sandbox, []) == {}
