"""Find the smallest call on which a submission still fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autograder.judge.attribute import Verdict, judge_trial
from autograder.judge.trials import Judged, Knowledge
from autograder.sandbox.job import Job, Sandbox, Source


def with_smallest(
    source: Source, oracle: Knowledge, sandbox: Sandbox, judged: tuple[Judged, ...], verdict: Verdict
) -> tuple[Judged, ...]:
    """Return judged trials, those with a wrong value with the smallest call of theirs that gives one; in one job."""
    tried = {j.trial: oracle.smaller(j.trial) for j in judged if j.finding and j.trial not in verdict.excused}
    smalls = [small for found in tried.values() for small in found]
    if not smalls:
        return judged
    requests = tuple(request for small in smalls for request in small.trial.requests)
    limits = oracle.assignment.limits
    limits = replace(limits, total_seconds=limits.case_seconds)  # what hangs on small calls is not waited for twice
    outcomes = iter(sandbox.run(Job(source, requests, limits, oracle.assignment.shortcuts)).outcomes)
    answers = {small.trial: tuple(next(outcomes) for _ in small.trial.requests) for small in smalls}
    first = {
        j.trial: _first_failure(
            j, (judge_trial(oracle, small.trial, answers[small.trial], small.expected) for small in tried[j.trial])
        )
        for j in judged
        if j.trial in tried
    }
    return tuple(replace(j, smallest=first.get(j.trial)) for j in judged)


def _first_failure(judged: Judged, smaller: Iterable[Judged]) -> Judged | None:
    """Return the smallest call that fails in the way in which the case itself does; what one entry does may be another."""
    kind = judged.finding and judged.finding.kind
    return next((small for small in smaller if small.finding and small.finding.kind == kind), None)
