"""Run known mistakes on the cases that they can change, and take the reference's own outcomes of all others.

A mistake in one function changes no case in which the reference does not run that function. To run those cases again for each of
hundreds of mistakes would be most of a proof's time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.course.edits import apply_edits
from autograder.course.spec import Misconception
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import File
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Request, Sandbox, Source


class ChangedCases:
    """Makes files of known mistakes whose sandbox runs the cases that these can change, and no other."""

    def __init__(self, oracle: Oracle, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._oracle = oracle
        self._right: Mapping[Request, Outcome] | None = None
        self._lock = threading.Lock()

    def files(self, sets: Iterable[tuple[Misconception, ...]]) -> list[File]:
        """Return a file to grade for each set of known mistakes: the reference with these in it."""
        file, reference = self._oracle.assignment.file, self._oracle.assignment.reference
        texts = ((mistakes, apply_edits(reference, mistakes) or "") for mistakes in sets)
        return [(Source.of(file, text), self._oracle, self._running(mistakes)) for mistakes, text in texts]

    def _running(self, mistakes: tuple[Misconception, ...]) -> Sandbox:
        trials = [t for t in self._oracle.trials if any(self._oracle.matters(m.name, t) for m in mistakes)]
        return _Part(self, frozenset(request for trial in trials for request in trial.requests))

    def right(self, job: Job) -> Mapping[Request, Outcome]:
        """Return the reference's outcomes of all cases, by request; none where it does not get through them. `job` is any of them."""
        with self._lock:
            if self._right is None:
                assignment = self._oracle.assignment
                requests = tuple(request for trial in self._oracle.trials for request in trial.requests)
                source = Source.of(assignment.file, assignment.reference)
                outcomes = self.sandbox.run(replace(job, source=source, requests=requests)).outcomes
                whole = all(outcome.ending is Ending.RETURNED for outcome in outcomes)
                self._right = dict(zip(requests, outcomes, strict=True)) if whole else {}
            return self._right


@dataclass(frozen=True)
class _Part:
    """A sandbox that runs some of all cases where all are asked for; whatever else is asked for, it runs as it is."""

    whole: ChangedCases
    changed: frozenset[Request]

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.whole.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run the cases of a job that can be changed, and return the outcomes of all."""
        right = self.whole.right(job)
        changed = tuple(request for request in job.requests if request in self.changed)
        if not changed or len(job.requests) != len(right) or not right.keys() >= set(job.requests):
            return self.whole.sandbox.run(job)
        ran = self.whole.sandbox.run(replace(job, requests=changed))
        if ran.loading.ending is not Ending.RETURNED:
            return replace(ran, outcomes=(ran.loading,) * len(job.requests))
        own = dict(zip(changed, ran.outcomes, strict=True))
        return replace(ran, outcomes=tuple(own.get(request, right[request]) for request in job.requests))

    def close(self) -> None:
        """Leave the sandbox open; it is others', too."""
