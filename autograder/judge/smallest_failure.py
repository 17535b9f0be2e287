"""Find the smallest call on which a submission still fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from autograder.course.spec import Limits
from autograder.judge.blame import Verdict, judge_trial
from autograder.judge.trials import Judged, Knowledge, Small, Trial
from autograder.sandbox.job import Job, Sandbox, Source


def with_smallest(
    source: Source, oracle: Knowledge, sandbox: Sandbox, judged: tuple[Judged, ...], verdict: Verdict
) -> tuple[Judged, ...]:
    """Return the judged trials; each with a wrong value also gets its smallest failing call. All run in one job."""
    tried = {j.trial: oracle.smaller(j.trial) for j in judged if j.finding and j.trial not in verdict.excused}
    smalls = [small for found in tried.values() for small in found]
    if not smalls:
        return judged
    limits = oracle.assignment.limits
    limits = replace(limits, total_seconds=limits.case_seconds)  # code that hangs on small calls has less time
    answers = judge_smaller(source, oracle, sandbox, smalls, limits)
    first = {
        t: _first_failure(j, (answers[small.trial] for small in tried[t])) for j in judged if (t := j.trial) in tried
    }
    return tuple(replace(j, smallest=first.get(j.trial)) for j in judged)


def judge_smaller(
    source: Source, oracle: Knowledge, sandbox: Sandbox, smalls: Sequence[Small], limits: Limits
) -> dict[Trial, Judged]:
    """Return how a submission answers smaller calls, in one job."""
    requests = tuple(request for small in smalls for request in small.trial.requests)
    assignment = oracle.assignment
    outcomes = iter(sandbox.run(Job(source, requests, limits, assignment.shortcuts, assignment.torch)).outcomes)
    return {
        small.trial: judge_trial(
            oracle, small.trial, tuple(next(outcomes) for _ in small.trial.requests), small.expected
        )
        for small in smalls
    }


def _first_failure(judged: Judged, smaller: Iterable[Judged]) -> Judged | None:
    """Return the smallest call that fails with the same kind of finding as the case; other kinds may be another mistake."""
    kind = judged.finding and judged.finding.kind
    return next((small for small in smaller if small.finding and small.finding.kind == kind), None)
