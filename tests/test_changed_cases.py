"""A known mistake runs the cases that it can change, and has the verdict that it would have if it ran all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Misconception
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.proof.changed_cases import ChangedCases
from autograder.sandbox.job import Isolation, Job, JobResult, Sandbox, Source


@dataclass(frozen=True)
class Noted:
    """A sandbox that notes which exercises the cases are of that it runs."""

    sandbox: Sandbox
    families: list[frozenset[str]] = field(default_factory=list)

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job."""
        self.families.append(frozenset(request.family for request in job.requests))
        return self.sandbox.run(job)

    def close(self) -> None:
        """Leave the sandbox open; it is others', too."""


def timeless(result: Result) -> Result:
    """Return a result without how long its cases took."""
    exercises = (replace(e, cases=tuple(replace(c, seconds=0) for c in e.cases)) for e in result.exercises)
    return replace(result, exercises=tuple(exercises))


def test_verdicts_are_those_of_a_whole_run(assignment: Assignment, oracle: Oracle, sandbox: Sandbox) -> None:
    """Word for word, of every known mistake of the tiny course."""
    bank = assignment.misconceptions
    files = ChangedCases(oracle, sandbox).files([(m,) for m in bank])
    parts = [timeless(grade(*file)) for file in files]
    wholes = [
        timeless(grade(Source.of(assignment.file, apply_edits(assignment.reference, (m,)) or ""), oracle, sandbox))
        for m in bank
    ]
    assert parts == wholes
    assert not any(result.all_passed for result in parts)


def test_only_cases_that_run_the_edited_function_are_run(
    assignment: Assignment, oracle: Oracle, sandbox: Sandbox
) -> None:
    """The reference runs once, for all mistakes; what one of them does to exercises that build on its own is known."""
    noted = Noted(sandbox)
    changed = ChangedCases(oracle, noted)
    of = {e.name: next(m for m in assignment.misconceptions if m.exercise == e.name) for e in assignment.exercises}
    every = frozenset(of)
    for file in changed.files([(of["spread"],), (of["spread"],), (of["row_means"],)]):
        grade(*file)
    assert noted.families[:3] == [every, {"spread"}, {"spread"}]
    assert frozenset({"row_means"}) in noted.families[3:]


def test_two_mistakes_are_run_wherever_both_change_something(
    assignment: Assignment, oracle: Oracle, sandbox: Sandbox
) -> None:
    """What two of them do to an exercise is not known beforehand; everything builds on `row_means`."""
    noted = Noted(sandbox)
    both = tuple(next(m for m in assignment.misconceptions if m.exercise == name) for name in ("row_means", "center"))
    (file,) = ChangedCases(oracle, noted).files([both])
    grade(*file)
    assert noted.families[1] == {e.name for e in assignment.exercises}


def mistake(old: str, new: str) -> Misconception:
    """Return a mistake that is not in the bank."""
    return Misconception("odd", "spread", old=old, new=new, caught_by="", says="Odd.")


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("mean_square = ", "mean_square = = ", False),  # its function is no Python, and left out
        ("def spread(", "np.mean = None\n\n\ndef spread(", True),  # an edit outside of a function may change every case
    ],
)
def test_what_changes_more_than_one_function(
    assignment: Assignment, sandbox: Sandbox, old: str, new: str, passes: bool
) -> None:
    """Has the verdict of a whole run, too."""
    odd = mistake(old, new)
    oracle = Oracle(replace(assignment, misconceptions=(odd,)), 11)
    (file,) = ChangedCases(oracle, sandbox).files([(odd,)])
    result = grade(*file)
    assert result.all_passed is passes
    assert bool(result.no_python) is not passes
    assert timeless(result) == timeless(grade(file[0], oracle, sandbox))
    assert np.mean  # what changes numpy for all is run in the sandbox alone


def test_a_reference_that_fails_is_no_basis(assignment: Assignment, oracle: Oracle, sandbox: Sandbox) -> None:
    """Then every case is run."""
    noted = Noted(sandbox)
    broken = Oracle(assignment, 11)
    broken.assignment = replace(assignment, reference=assignment.reference.replace("def center(", "def other("))
    (m,) = (m for m in assignment.misconceptions if m.name == "no_root")
    ((source, _, part),) = ChangedCases(broken, noted).files([(m,)])
    job = Job(source, tuple(request for trial in broken.trials for request in trial.requests), assignment.limits)
    assert len(part.run(job).outcomes) == len(job.requests)
    assert noted.families == [{e.name for e in assignment.exercises}] * 2
