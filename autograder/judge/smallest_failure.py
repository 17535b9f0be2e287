"""Find the smallest call on which a submission still fails."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from autograder.course.spec import Limits, Status
from autograder.judge.blame import Verdict, judge_trial
from autograder.judge.ease import size_of, vagueness_of
from autograder.judge.shape_trails import trail_of, trail_request
from autograder.judge.terminal_text import without_folders
from autograder.judge.trials import Judged, Knowledge, Small, Trial
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.time_limits import WALL

MOST_NUMBERS = 50  # in a call that is told for its shapes
_OF_SHAPES = frozenset({"shape", "container"})  # findings that are about what is returned, and not about numbers
FOLLOWED = 12  # smaller calls of a case whose shapes are followed; the one that is shown is nearly always among them


def with_smallest(
    source: Source, oracle: Knowledge, sandbox: Sandbox, judged: tuple[Judged, ...], verdict: Verdict
) -> tuple[Judged, ...]:
    """Return the judged trials; each that crashed or gave a wrong value gets its smallest failing call.

    One with a wrong value also gets the shapes on the way through the call that is shown.
    """
    mine = [j for j in judged if _kind(j) and j.trial not in verdict.excused and j.trial not in verdict.inside]
    if not mine:
        return judged
    limits = oracle.assignment.limits
    # Code that hangs on small calls has less time; on a busy machine as much on the wall as one call may take there.
    limits = replace(limits, total_seconds=min(limits.total_seconds, WALL * limits.case_seconds))
    tried = {j.trial: oracle.smaller(j.trial) for j in mine}
    smalls = [small for found in tried.values() for small in found]
    # Which call will be shown is not known yet, and another job for its shapes would take another process.
    # A smaller trial has a single call; of a case it is the one that is wrong.
    followed = {s.trial: 0 for j in mine if j.finding for s in tried[j.trial][:FOLLOWED]}
    followed |= {j.trial: j.finding.call for j in mine if j.finding}
    asked = tuple(itertools.starmap(trail_request, followed.items()))
    answers, ran = _run_smaller(source, oracle, sandbox, smalls, limits, asked)
    trails = {trial: trail_of(outcome) for trial, outcome in zip(followed, ran, strict=True)}
    first = {j.trial: _first_failure(j, (answers[small.trial] for small in tried[j.trial])) for j in mine}
    shown = {j.trial: (first[j.trial] or j).trial for j in mine}
    return tuple(
        replace(j, smallest=first[j.trial], trail=trails.get(shown[j.trial], ())) if j.trial in shown else j
        for j in judged
    )


def easiest_failure(source: Source, oracle: Knowledge, sandbox: Sandbox, trial: Trial) -> Small:
    """Return the smallest call of a trial that fails as the trial does, or the trial itself, with what is expected."""
    whole, smalls = Small(trial, oracle.expected(trial)), oracle.smaller(trial)
    answers = judge_smaller(source, oracle, sandbox, [whole, *smalls], oracle.assignment.limits)
    first = _first_failure(answers[trial], (answers[small.trial] for small in smalls))
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
    requests = (*(request for small in smalls for request in small.trial.requests), *others)
    if not requests:
        return {}, ()
    assignment = oracle.assignment
    ran = sandbox.run(Job(source, requests, limits, assignment.shortcuts, assignment.torch))
    outcomes = iter(without_folders(ran).outcomes)
    judged = {
        small.trial: judge_trial(
            oracle, small.trial, tuple(next(outcomes) for _ in small.trial.requests), small.expected
        )
        for small in smalls
    }
    return judged, tuple(outcomes)


def _first_failure(judged: Judged, smaller: Iterable[Judged]) -> Judged | None:
    """Return the smallest call that fails in the same way as the case; in another way may be another mistake.

    Of those with a wrong shape it is the one, perhaps the case's own, whose sizes say most of it: nothing is followed by hand there.
    """
    kind = _kind(judged)
    alike = (small for small in smaller if kind and _kind(small) == kind)
    if judged.finding and judged.finding.kind in _OF_SHAPES:
        own = [judged] if size_of(judged) <= MOST_NUMBERS else []
        best = min((*alike, *own), key=vagueness_of, default=judged)
        return None if best is judged else best
    return next(alike, None)


def _kind(judged: Judged) -> tuple[object, ...]:
    """Return in which way a trial fails: the kind and part of a finding, or the exception and its place; nothing where in neither."""
    if judged.finding:
        return judged.finding.kind, judged.finding.where
    if judged.status is not Status.CRASHED or judged.waits_for:
        return ()
    trouble = next((o.trouble for o in judged.outcomes if o.ending is Ending.RAISED), None)
    return (trouble.type_name, *trouble.frames[-1:]) if trouble else ()
