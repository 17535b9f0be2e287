"""Judging in processes of its own: the same results, no student lost where a process is, and nothing left behind."""

from __future__ import annotations

import copy
import multiprocessing
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.classroom import run as module
from autograder.classroom.judges import Judges, judges_for
from autograder.classroom.run import grade_class
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment
from autograder.judge.grade import grade
from autograder.judge.trials import Kept
from autograder.oracle.oracle import Oracle
from autograder.oracle.shared_findings import SharedFindings
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.levels import open_sandbox


@pytest.fixture
def fresh() -> Iterator[Sandbox]:
    """Return a sandbox none of whose slots has started."""
    with open_sandbox(2) as sandbox:
        yield sandbox


def submission(student: str, text: str) -> Submission:
    """Return a submission of one file."""
    return Submission(student, f"{student}.py", Source.of("means.py", text))


def test_a_process_judges_as_this_one_does(oracle: Oracle, assignment: Assignment, fresh: Sandbox) -> None:
    """Right, wrong by a known mistake, wrong by another, and broken."""
    wrong = assignment.reference.replace("return x - means", "return x + means")
    texts = [assignment.reference, wrong, assignment.reference.replace("x - means", "x - 3 * means"), "def f(:"]
    sources = [Source.of("means.py", text) for text in texts]
    with Judges(2, oracle, fresh) as judges:
        apart = [judges.grade(source) for source in sources]
    for source, result in zip(sources, apart, strict=True):
        here = grade(source, oracle, fresh)
        assert (result.problem, result.score) == (here.problem, here.score)
        assert [c.message for e in result.exercises for c in e.cases] == [
            c.message for e in here.exercises for c in e.cases
        ]


def test_what_one_process_found_out_another_need_not(
    assignment: Assignment, fresh: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong submission is diagnosed by what another process told: this one finds nothing new out."""
    source = Source.of("means.py", assignment.reference.replace("return x - means", "return x + means"))
    oracle = Oracle(assignment, 5)
    other = copy.copy(oracle)
    monkeypatch.setattr(other, "_kept", Kept())
    monkeypatch.setattr(other, "_answers", {})
    ours, theirs = SharedFindings(oracle), SharedFindings(other)
    ours.begin()
    theirs.begin()
    here = grade(source, oracle, fresh)
    for trial in oracle.trials:
        other.expected(trial)
    theirs.take(ours.told())
    assert not ours.told()
    there = grade(source, other, fresh)
    assert {c.diagnosis for e in there.exercises for c in e.cases} == {
        c.diagnosis for e in here.exercises for c in e.cases
    }
    assert any(c.diagnosis for e in there.exercises for c in e.cases)
    assert not theirs.told()


def test_a_class_outlives_its_judges(
    oracle: Oracle, assignment: Assignment, fresh: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where they are gone, this process grades; no student hears of it."""
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    students = [submission(f"s{i}", assignment.reference) for i in range(4)]
    with Judges(2, oracle, fresh) as judges:
        for process in multiprocessing.active_children():
            process.kill()  # SIGTERM may come before the process has said what that means to it
            process.join()
        graded = list(grade_class(oracle, students, fresh, 2, judges=judges))
    assert [one.result.score for one in graded] == [7] * 4


def test_stopping_ends_what_judges_are_at(assignment: Assignment, fresh: Sandbox) -> None:
    """An endless loop is not waited for."""
    patient = replace(assignment, limits=replace(assignment.limits, case_seconds=600.0, total_seconds=600.0))
    loop = assignment.reference.replace("squares = center(x) ** 2", "while True: pass")
    oracle = Oracle(patient, 0)
    with Judges(2, oracle, fresh) as judges:
        students = [submission("a", assignment.stub), *(submission(f"b{i}", loop) for i in range(6))]
        running = grade_class(oracle, students, fresh, 2, judges=judges)
        assert next(running).submission.student == "a"
        running.close()
    assert not multiprocessing.active_children()


def test_judges_that_are_killed_leave_nothing_behind(
    oracle: Oracle, assignment: Assignment, fresh: Sandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Their sandboxes cannot tidy up after themselves then."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Judges(2, oracle, fresh) as judges:
        judges.grade(Source.of("means.py", assignment.reference))
        assert len(list(tmp_path.glob("*/autograder-*"))) == 1
        for process in multiprocessing.active_children():
            process.kill()
            process.join()
    assert not list(tmp_path.iterdir())


def test_one_job_needs_no_judges(oracle: Oracle, fresh: Sandbox) -> None:
    """It is graded where the class is."""
    with judges_for(1, oracle, fresh) as judges:
        assert judges is None
