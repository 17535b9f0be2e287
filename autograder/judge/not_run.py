"""Run the cases that were given up since another exercise ended others of their exercise, where they do not call it.

An exercise is given up after two of its calls have hung, or ended the process. Where that was in a helper, its other cases may be
right.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autograder.course.spec import Status
from autograder.judge.blame import gave_nothing, has_stopped, judge_trial
from autograder.judge.trials import Judged, Knowledge, Trial
from autograder.sandbox.job import Job, Sandbox, Source


def with_not_run(oracle: Knowledge, source: Source, sandbox: Sandbox, judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """Return what was judged, with the cases that are run now."""
    mute = {j.trial.case.exercise for j in judged if gave_nothing(j)}
    left = [
        j.trial for j in judged if has_stopped(j) and j.status is Status.SKIPPED and _is_free(oracle, j.trial, mute)
    ]
    if not left:
        return tuple(judged)
    assignment = oracle.assignment
    requests = tuple(request for trial in left for request in trial.requests)
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    outcomes = iter(ran.outcomes)
    now = {t: judge_trial(oracle, t, tuple(next(outcomes) for _ in t.requests), oracle.expected(t)) for t in left}
    return tuple(now.get(j.trial, j) for j in judged)


def _is_free(oracle: Knowledge, trial: Trial, mute: Collection[str]) -> bool:
    """Whether a trial's exercise uses one that gave nothing, and the trial itself none, as far as their known mistakes show."""
    exercise = trial.case.exercise
    others = (set(oracle.assignment.uses(exercise)) - {exercise}).intersection(mute)
    known = [m for other in others for m in oracle.misconceptions_of(other)]
    return bool(known) and not any(oracle.matters(m.name, trial) for m in known)
