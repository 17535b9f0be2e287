"""Run only those calls of a known mistake that reach what it edits; all others answer as the reference does.

Of an assignment with three hundred known mistakes that is a seventh to a third of the work. Mistakes are edits of the
reference in one function, and the calls that run it are counted, so what is left out could not have come out otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import CUT_SHORT
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Request, Sandbox, Source

Answers = dict[Request, Outcome]


def answers_of_reference(oracle: Oracle, sandbox: Sandbox) -> Answers:
    """Return what each call of the oracle's trials comes to with the reference in the sandbox; nothing where any does not return."""
    assignment = oracle.assignment
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    source = Source.of(assignment.file, assignment.reference)
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    whole = all(outcome.ending is Ending.RETURNED for outcome in (ran.loading, *ran.outcomes))
    return dict(zip(requests, ran.outcomes, strict=True)) if whole else {}


@dataclass(frozen=True)
class TouchedCalls:
    """A sandbox for the reference with one known mistake in it."""

    sandbox: Sandbox
    oracle: Oracle
    mistake: str
    known: Answers  # of the reference

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job, without the calls that are known; whole, where it is cut short."""
        touched = {r for t in self.oracle.trials if self.oracle.matters(self.mistake, t) for r in t.requests}
        chosen = tuple(request for request in job.requests if request in touched or request not in self.known)
        if not chosen or len(chosen) == len(job.requests) or job.more:
            return self.sandbox.run(job)
        ran = self.sandbox.run(replace(job, requests=chosen))
        if any(outcome.ending in CUT_SHORT for outcome in (ran.loading, *ran.outcomes)):
            return self.sandbox.run(job)
        answers = self.known | dict(zip(chosen, ran.outcomes, strict=True))
        return replace(ran, outcomes=tuple(answers[request] for request in job.requests))

    def close(self) -> None:
        """End everything in the sandbox."""
        self.sandbox.close()
