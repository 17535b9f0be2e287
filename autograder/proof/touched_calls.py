"""Run only those calls of a known mistake that reach what it edits; all others answer as the reference does.

Of an assignment with three hundred known mistakes that is a seventh to a third of the work. Mistakes are edits of the
reference in one function, and the calls that run it are counted, so what is left out could not have come out otherwise.
Where a mistake is not to be tried in the sandbox itself, these calls answer as the oracle does, which runs the same edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.judge.trials import Trial
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
    tried: bool = True  # in the sandbox; what goes on from the first answers, such as following, is there in any case

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job, without the calls that are known; whole, where it is cut short."""
        if job.more or not self.known.keys() >= set(job.requests):
            return self.sandbox.run(job)
        touched = [trial for trial in self.oracle.trials if self.oracle.matters(self.mistake, trial)]
        if not self.tried and (answers := self._of_the_oracle(touched)):
            whole = self.known | answers
            return JobResult(tuple(whole[request] for request in job.requests), Outcome(Ending.RETURNED))
        chosen = tuple(request for trial in touched for request in trial.requests)
        ran = self.sandbox.run(replace(job, requests=chosen))
        if any(outcome.ending in CUT_SHORT for outcome in (ran.loading, *ran.outcomes)):
            return self.sandbox.run(job)
        answers = self.known | dict(zip(chosen, ran.outcomes, strict=True))
        return replace(ran, outcomes=tuple(answers[request] for request in job.requests))

    def _of_the_oracle(self, trials: Sequence[Trial]) -> Answers:
        """Return what the mistake gives in each call; nothing where that is not known of all."""
        answers: Answers = {}
        for trial in trials:
            outcomes = self.oracle.answers((self.mistake,), trial)
            if outcomes is None:
                return {}
            answers |= dict(zip(trial.requests, outcomes, strict=True))
        return answers

    def close(self) -> None:
        """End everything in the sandbox."""
        self.sandbox.close()
