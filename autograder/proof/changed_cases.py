"""Run known mistakes on the cases of their own exercise that they can change, and take the outcomes of all others as known.

A mistake in one function changes no case in which the reference does not run that function: there the reference's own outcomes stand.
In cases of other exercises that build on it, what the reference with this one mistake gives here stands, as diagnoses take it for
granted. To run all of those again for each of hundreds of mistakes would be most of a proof's time. What a mistake leaves behind in
the process, for cases of other functions, is not seen so; the rewritten mistakes of `fairness.py` run on all cases, and pairs of
mistakes on all that either changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.course.edits import apply_edits
from autograder.course.spec import Misconception
from autograder.judge.trials import Trial
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
            (Source.of(file, text), self._oracle, _Part(self._sandbox, self._oracle, mistakes, self._right))
            for mistakes, text in texts
        ]


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
    oracle: Oracle
    mistakes: tuple[Misconception, ...]
    right: Outcomes

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self.sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run the cases of a job that have to be run, and return the outcomes of all."""
        known = self._known() if self.right.keys() == set(job.requests) else {}
        changed = tuple(request for request in job.requests if request not in known)
        if not (known and changed):
            return self.sandbox.run(job)
        ran = self.sandbox.run(replace(job, requests=changed))
        if ran.loading.ending is not Ending.RETURNED:
            return replace(ran, outcomes=(ran.loading,) * len(job.requests))
        outcomes = {**known, **dict(zip(changed, ran.outcomes, strict=True))}
        return replace(ran, outcomes=tuple(outcomes[request] for request in job.requests))

    def _known(self) -> dict[Request, Outcome]:
        """Return the outcomes that need no run: of cases that no mistake changes, or one in another exercise alone."""
        known: dict[Request, Outcome] = {}
        for trial in self.oracle.trials:
            changing = [m for m in self.mistakes if self.oracle.matters(m.name, trial)]
            if not changing:
                known |= {request: self.right[request] for request in trial.requests}
            elif len(changing) == 1 and self._is_known(changing[0], trial):
                outcomes = self.oracle.answers((changing[0].name,), trial)
                known |= dict(zip(trial.requests, outcomes, strict=True)) if outcomes else {}
        return known

    def _is_known(self, mistake: Misconception, trial: Trial) -> bool:
        """Whether the reference with a mistake may answer a trial here: of another exercise, and nothing else is changed."""
        return mistake.exercise != trial.case.exercise and self.oracle.is_in_a_function(mistake.name)

    def close(self) -> None:
        """Leave the sandbox open; it is others', too."""
