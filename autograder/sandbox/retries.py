"""Run a job in as many children as it takes: who runs again after a child hung, died or was ended, and who does not."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.sandbox.attempt import Attempt, Child, Loading, last_line
from autograder.sandbox.endings import OUT_OF_MEMORY, SAME_WHEN_EMPTY, WAITING
from autograder.sandbox.job import Ending, Job, JobResult, Outcome, Request, Trouble
from autograder.sandbox.memory import fitting
from autograder.sandbox.time_limits import SECOND_REST, Budget

MAX_STRIKES = 2
START_TRIES = 3


def run_job(job: Job, launch: Callable[[], Child]) -> JobResult:
    """Run a job in as many children as it takes.

    When a child hangs, dies or sends what is not data, the case it was in gets that ending and a fresh child does the
    rest, so one bad exercise costs itself and no other. After MAX_STRIKES such endings in one exercise its remaining
    requests are not run: three thousand submissions with an endless loop in each must still end.
    """
    outcomes: dict[int, Outcome] = {}
    requests = list(job.requests)  # grows where the job has more
    strikes: Counter[str] = Counter()
    again: set[str] = set()
    loading: Loading | None = None
    ours = functools.cache(lambda: _own_fault(job, launch))
    tries = START_TRIES
    job = replace(job, limits=fitting(job.limits))
    budget = Budget(job.limits)
    while pending := [i for i in range(len(requests)) if i not in outcomes]:
        if budget.spent:
            outcomes |= dict.fromkeys(pending, Outcome(Ending.NOT_RUN, trouble=Trouble("", budget.spent)))
            break
        loaded, broken = _attempt(job, requests, pending, outcomes, launch, budget)
        ended = loaded[0] if broken is None else outcomes[broken]
        if ended.ending is Ending.DIED and ours():
            ended = Outcome(Ending.FAULT, trouble=Trouble("", ours()), printed=ended.printed)
            if broken is None:
                loaded = ended, ()
            else:
                outcomes[broken] = ended
        if (ended.ending is Ending.FAULT or _starved(ended)) and tries > 1:
            tries -= 1
            if broken is not None:
                del outcomes[broken]
            continue
        if loading and loaded[0].ending is not Ending.RETURNED and budget.spent:
            continue  # it was imported before; this time only the end of the whole came in between
        loading = loading or loaded
        if loaded[0].ending is not Ending.RETURNED:
            outcomes |= dict.fromkeys(pending, loaded[0])
        elif broken is not None and _waited(outcomes[broken]) and requests[broken].group not in again:
            again.add(requests[broken].group)  # the whole machine may have stood still
            budget.rest = SECOND_REST
            del outcomes[broken]
        elif broken is not None:
            _strike(requests, broken, outcomes, strikes)
    loading = loading or (Outcome(Ending.RETURNED), ())
    return JobResult(tuple(outcomes[i] for i in range(len(requests))), *loading, budget.seconds, budget.delayed)


def _attempt(
    job: Job,
    requests: list[Request],
    pending: list[int],
    outcomes: dict[int, Outcome],
    launch: Callable[[], Child],
    budget: Budget,
) -> tuple[Loading, int | None]:
    """Run what is pending in one child; return how loading went and the request that broke the child, if one did."""
    attempt = Attempt(launch(), job, requests, pending, budget)
    try:
        loaded = attempt.load()
        broken = attempt.answer_into(outcomes) if loaded[0].ending is Ending.RETURNED else None
    finally:
        attempt.end()
    return loaded, broken


def _own_fault(job: Job, launch: Callable[[], Child]) -> str:
    """Say what ends a child that makes a job's calls on an empty submission: the grader itself does; nothing if nothing."""
    outcomes: dict[int, Outcome] = {}
    empty = replace(job, source=replace(job.source, chunks=()), watch=None, more=None)
    requests = list(job.requests)
    loaded, broken = _attempt(empty, requests, list(range(len(requests))), outcomes, launch, Budget(job.limits))
    ended = loaded[0] if broken is None else outcomes[broken]
    if ended.ending is Ending.RETURNED:
        return ""
    why = last_line(ended.printed) or (ended.trouble and ended.trouble.text) or str(ended.ending)
    return SAME_WHEN_EMPTY.format(why)


def _strike(requests: Sequence[Request], broken: int, outcomes: dict[int, Outcome], strikes: Counter[str]) -> None:
    """Give up the rest of the case that broke a child, and of its exercise if it did so too often.

    What waited has been tried twice. Cases before the broken one had been run, and took their answers with them: these are asked
    once more, and given up only where the exercise breaks a child then, too.
    """
    request, ended = requests[broken], outcomes[broken].trouble
    trouble = ended and Trouble(ended.type_name, ended.text)  # where it was is nothing of the others
    before = strikes[request.family]
    strikes[request.family] += MAX_STRIKES if _waited(outcomes[broken]) else 1
    given_up = strikes[request.family] >= MAX_STRIKES
    for i, other in enumerate(requests):
        ran = before < MAX_STRIKES and (other.phase, i) < (request.phase, broken)
        same = other.group == request.group or (given_up and not ran and other.family == request.family)
        if i not in outcomes and same:
            outcomes[i] = Outcome(Ending.NOT_RUN, trouble=trouble)


def _starved(outcome: Outcome) -> bool:
    """Whether the kernel ended it because memory ran out, which another submission may have taken."""
    return outcome.ending is Ending.MEMORY and outcome.trouble is not None and outcome.trouble.text == OUT_OF_MEMORY


def _waited(outcome: Outcome) -> bool:
    """Whether a request was ended because it was asleep."""
    return outcome.ending is Ending.TIMEOUT and outcome.trouble is not None and outcome.trouble.text == WAITING
