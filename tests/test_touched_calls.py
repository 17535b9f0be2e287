"""What `doctor` leaves out of a known mistake's run could not have come out otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from autograder.course.spec import Assignment, Misconception
from autograder.judge.grade import grade
from autograder.judge.result_json import told_result
from autograder.oracle.edits import apply_edits
from autograder.oracle.oracle import Oracle
from autograder.proof.touched_calls import TouchedCalls, answers_of_reference
from autograder.sandbox.job import Isolation, Job, JobResult, Sandbox, Source


@dataclass(frozen=True)
class Counted:
    """A sandbox that counts the calls of each job."""

    sandbox: Sandbox
    calls: list[int] = field(default_factory=list)

    @property
    def isolation(self) -> Isolation:
        """As it is."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run it."""
        self.calls.append(len(job.requests))
        return self.sandbox.run(job)

    def close(self) -> None:
        """Nothing is opened here."""


def told(result: Any) -> Any:
    """Return a result as data, without times."""
    if isinstance(result, dict):
        return {key: told(value) for key, value in result.items() if key != "seconds"}
    return [told(item) for item in result] if isinstance(result, list | tuple) else result


def text_of(assignment: Assignment, mistake: Misconception) -> Source:
    """Return the reference with a known mistake."""
    return Source.of(assignment.file, apply_edits(assignment.reference, (mistake,)) or "")


@pytest.mark.parametrize("tried", [True, False])
def test_verdicts_are_those_of_all_calls(assignment: Assignment, oracle: Oracle, sandbox: Sandbox, tried: bool) -> None:
    """For every known mistake of the tiny course, and with fewer calls for most; what is not tried makes none at all."""
    known = answers_of_reference(oracle, sandbox)
    calls = sum(len(trial.requests) for trial in oracle.trials)
    assert len(known) == calls
    most = []
    for mistake in assignment.misconceptions:
        counted, source = Counted(sandbox), text_of(assignment, mistake)
        whole = grade(source, oracle, sandbox)
        fewer = grade(source, oracle, TouchedCalls(counted, oracle, mistake.name, known, tried=tried))
        assert told(told_result(fewer)) == told(told_result(whole)), mistake.name
        most.append(max(counted.calls, default=0))
    assert max(most) <= calls
    assert sum(most) < (0.9 if tried else 0.2) * calls * len(most)


def test_what_is_cut_short_runs_whole(assignment: Assignment, oracle: Oracle, sandbox: Sandbox) -> None:
    """Where a call ends its child, calls behind it are not made, and none of them may count as right."""
    mistake = next(m for m in assignment.misconceptions if m.exercise == "center")
    source = text_of(assignment, mistake)
    dying = replace(
        source, chunks=(replace(source.chunks[0], text=source.chunks[0].text + "\nimport os\nos._exit(1)\n"),)
    )
    known, counted = answers_of_reference(oracle, sandbox), Counted(sandbox)
    grade(dying, oracle, TouchedCalls(counted, oracle, mistake.name, known))
    assert counted.calls[:2] == [counted.calls[0], sum(len(trial.requests) for trial in oracle.trials)]
    assert counted.calls[0] < counted.calls[1]


@pytest.mark.parametrize("mistake", [0, -1])
def test_a_reference_that_fails_is_left_to_the_proofs_of_it(
    assignment: Assignment, oracle: Oracle, sandbox: Sandbox, mistake: int
) -> None:
    """Its calls are not known, so all are made."""
    counted, found = Counted(sandbox), assignment.misconceptions[mistake]
    grade(text_of(assignment, found), oracle, TouchedCalls(counted, oracle, found.name, {}))
    assert counted.calls[0] == sum(len(trial.requests) for trial in oracle.trials)
