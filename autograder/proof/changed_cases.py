"""Run known mistakes on the cases that they can change, and take the reference's own outcomes of all others.

A mistake in one function changes no case in which the reference does not run that function. To run those cases again for each of
hundreds of mistakes would be most of a proof's time. What a mistake leaves behind in the process, for cases of other functions, is not
seen so; the rewritten mistakes of `fairness.py` run on all cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.course.edits import apply_edits
from autograder.course.spec import Misconception
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import File
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Request, Sandbox, Source

Outcomes = Mapping[Request, Outcome]


class ChangedCases:
    """Makes files of known mistakes whose sandbox runs the cases that these can change, and no other."""

    def __init__(self, oracle: Oracle, sandbox: Sandbox) -> None:
        self._oracle, self._sandbox = oracle, sandbox
        self._right: Outcomes | None = None

    def files(self, sets: Iterable[tuple[Misconception, ...]]) -> list[File]:
        """Return a file to grade for each set of known mistakes: the reference with these in it."""
        if self._right is None:  # before the time of any submission counts
            self._right = _outcomes_of_reference(self._oracle, self._sandbox)
        file, reference = self._oracle.assignment.file, self._oracle.assignment.reference
        texts = ((mistakes, apply_edits(reference, mistakes) or "") for mistakes in sets)
        return [
            (Source.of(file, text), self._oracle, _Part(self._sandbox, self._changed(mistakes), self._right))
            for mistakes, text in texts
        ]

    def _changed(self, mistakes: tuple[Misconception, ...]) -> frozenset[Request]:
        trials = [t for t in self._oracle.trials if any(self._oracle.matters(m.name, t) for m in mistakes)]
        return frozenset(request for trial in trials for request in trial.requests)


def _outcomes_of_reference(oracle: Oracle, sandbox: Sandbox) -> Outcomes:
    """Return the reference's outcomes of all cases in a sandbox; none where it does not get through them."""
    assignment = oracle.assignment
    source = Source.of(assignment.file, assignment.reference)
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    whole = all(outcome.ending is Ending.RETURNED for outcome in ran.outcomes)
    return dict(zip(requests, ran.outcomes, strict=True)) if whole else {}


@dataclass(frozen=True)
class _Part:
    """A sandbox that runs some of all cases where all are asked for; whatever else is asked for, it runs as it is."""

    sandbox: Sandbox
    changed: frozenset[Request]
    right: Outcomes

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run the cases of a job that can be changed, and return the outcomes of all."""
        changed = tuple(request for request in job.requests if request in self.changed)
        if not changed or self.right.keys() != set(job.requests):
            return self.sandbox.run(job)
        ran = self.sandbox.run(replace(job, requests=changed))
        if ran.loading.ending is not Ending.RETURNED:
            return replace(ran, outcomes=(ran.loading,) * len(job.requests))
        outcomes = {**self.right, **dict(zip(changed, ran.outcomes, strict=True))}
        return replace(ran, outcomes=tuple(outcomes[request] for request in job.requests))

    def close(self) -> None:
        """Leave the sandbox open; it is others', too."""
