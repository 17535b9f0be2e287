"""Find the smallest call on which a submission still fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from autograder.course.spec import Limits
from autograder.judge.blame import Verdict, judge_trial
from autograder.judge.shape_trails import trail_of, trail_request
from autograder.judge.trials import Judged, Knowledge, Small, Trial
from autograder.sandbox.job import Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.time_limits import WALL


def with_smallest(
    source: Source, oracle: Knowledge, sandbox: Sandbox, judged: tuple[Judged, ...], verdict: Verdict
) -> tuple[Judged, ...]:
    """Return the judged trials; each with a wrong value also gets its smallest failing call and the shapes on the way.

    All run in one job.
    """
    tried = {j.trial: oracle.smaller(j.trial) for j in judged if j.finding and j.trial not in verdict.excused}
    smalls = [small for found in tried.values() for small in found]
    if not tried:
        return judged
    limits = oracle.assignment.limits
    # Code that hangs on small calls has less time; on a busy machine as much on the wall as one call may take there.
    limits = replace(limits, total_seconds=min(limits.total_seconds, WALL * limits.case_seconds))
    answers, others = _run_smaller(source, oracle, sandbox, smalls, limits, tuple(map(trail_request, tried)))
    trails = {trial: trail_of(outcome) for trial, outcome in zip(tried, others, strict=True)}
    first = {
        t: _first_failure(j, (answers[small.trial] for small in tried[t])) for j in judged if (t := j.trial) in tried
    }
    return tuple(replace(j, smallest=first.get(j.trial), trail=trails.get(j.trial, ())) for j in judged)


def easiest_failure(source: Source, oracle: Knowledge, sandbox: Sandbox, trial: Trial) -> Small:
    """Return the smallest call of a trial that fails as the trial does, or the trial itself, with what is expected."""
    whole, smalls = Small(trial, oracle.expected(trial)), oracle.smaller(trial)
    answers = judge_smaller(source, oracle, sandbox, [whole, *smalls], oracle.assignment.limits)
    first = (
        _first_failure(answers[trial], (answers[small.trial] for small in smalls)) if answers[trial].finding else None
    )
    return next((small for small in smalls if first and small.trial is first.trial), whole)


def judge_smaller(
    source: Source, oracle: Knowledge, sandbox: Sandbox, smalls: Sequence[Small], limits: Limits
) -> dict[Trial, Judged]:
    """Return how a submission answers smaller calls, in one job."""
    return _run_smaller(source, oracle, sandbox, smalls, limits)[0]


def _run_smaller(
    source: Source,
    oracle: Knowledge,
    sandbox: Sandbox,
    smalls: Sequence[Small],
    limits: Limits,
    others: tuple[Request, ...] = (),
) -> tuple[dict[Trial, Judged], tuple[Outcome, ...]]:
    """Return how a submission answers smaller calls, and what other requests at the end of the same job came to."""
    requests = tuple(request for small in smalls for request in small.trial.requests)
    assignment = oracle.assignment
    ran = sandbox.run(Job(source, (*requests, *others), limits, assignment.shortcuts, assignment.torch))
    outcomes = iter(ran.outcomes)
    judged = {
        small.trial: judge_trial(
            oracle, small.trial, tuple(next(outcomes) for _ in small.trial.requests), small.expected
        )
        for small in smalls
    }
    return judged, tuple(outcomes)


def _first_failure(judged: Judged, smaller: Iterable[Judged]) -> Judged | None:
    """Return the smallest call that fails with the same kind of finding as the case; other kinds may be another mistake."""
    kind = judged.finding and judged.finding.kind
    return next((small for small in smaller if small.finding and small.finding.kind == kind), None)
