"""Find the smallest call on which a submission still fails."""

from __future__ import annotations

from dataclasses import replace

from autograder.course.spec import Status
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
    assignment = oracle.assignment
    outcomes = iter(sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts)).outcomes)
    answers = {small.trial: tuple(next(outcomes) for _ in small.trial.requests) for small in smalls}
    ways = {
        trial: (judge_trial(oracle, small.trial, answers[small.trial], small.expected) for small in found)
        for trial, found in tried.items()
    }
    first = {trial: next((j for j in way if j.status is Status.FAILED), None) for trial, way in ways.items()}
    return tuple(replace(j, smallest=first.get(j.trial)) for j in judged)
