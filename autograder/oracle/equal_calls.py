"""Decide whether an exercise is right that calls wrong ones with other arguments than the reference, which come to the same.

What a stand-in answers depends on its arguments. Right code may lower scores before their softmax, count an axis from the front, or
hand over more than is read. So here the student's code runs up to its next call of a wrong exercise, gets random numbers for an
answer, and runs again with these, until it ends. Calls with the same right answer have the same numbers, the reference's among them.
The numbers are drawn apart from the right answer, so that they tell nothing of it: code may ask what it likes.
"""

from __future__ import annotations

import itertools
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import numpy as np

from autograder.judge.calls_as_text import numbers_in
from autograder.judge.compare import alike
from autograder.judge.trials import Trial
from autograder.oracle.calls_here import run_requests, to_worker
from autograder.oracle.drawn_answers import drawn_like
from autograder.oracle.noise import alike_but_for_noise, fractions_in
from autograder.oracle.other_ways import calls_in_ways, may_use
from autograder.oracle.replay import Replay
from autograder.oracle.stand_ins import own_arguments
from autograder.oracle.step_limit import limited_steps
from autograder.oracle.student_calls import StudentCall
from autograder.sandbox.child import answered_calls
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import array_of, as_arrays, leaves
from autograder.sandbox.child.wire_format import WireError, snapshot
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.time_limits import Rationed

SHARE = 0.25  # of the time for all cases
SAME = 2e-5  # by how much right answers may differ, as a share of their largest number, that are the same
MOST_CALLS = 100  # of wrong exercises in one call; each has the submission's code run again
MOST_SECONDS = 10.0  # of our own time for the right answers to what the code of one exercise asks
TIMES_AS_LONG = 4  # an argument may be, beside the longest axis or whole number of a case
TIMES_AS_MANY = 8  # numbers a call may be given, beside those of a case
LEAST_LONG, LEAST_MANY = 64, 4096  # are never too long, and too many
_HARNESS = f"from {answered_calls.__name__} import call_answered"


class Given:
    """What is answered in a trial: the student's code and the reference get the same for the same right answer."""

    def __init__(self, replay: Replay, trial: Trial) -> None:
        self._replay, self._seed = replay, f"{replay.oracle.seed}.{trial.name}"
        # By name, each right answer with what is given for it.
        self._drawn = defaultdict[str, list[tuple[Any, Any]]](list)
        asked = [[list(request.args), dict(request.kwargs)] for request in trial.requests]
        self._longest = max(LEAST_LONG, TIMES_AS_LONG * _longest(asked))
        self._many = max(LEAST_MANY, TIMES_AS_MANY * trial.size)
        self._seconds = MOST_SECONDS

    def answer(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return random numbers for a call. Raises ValueError where it has no right answer, or a far larger one than the case's own."""
        asked = [list(args), dict(kwargs)]
        if _longest(asked) > self._longest or numbers_in(asked) > self._many or self._seconds < 0:
            raise ValueError("to answer this takes too long")
        began = time.thread_time()
        try:
            right = snapshot(self._replay.right(StudentCall(name, tuple(args), dict(kwargs), None)))
        finally:
            self._seconds -= time.thread_time() - began
        known = self._drawn[name]
        for before, drawn in known:
            if alike(as_arrays(before), as_arrays(right), SAME):
                return drawn
        rng = np.random.default_rng(zlib.crc32(f"{self._seed}.{name}.{len(known)}".encode()))
        drawn = drawn_like(right, rng)
        known.append((right, drawn))
        return drawn


def _longest(tree: Any) -> int:
    """Return the length of the longest axis in a tree, or its largest whole number."""
    shapes = (getattr(array_of(leaf), "shape", ()) for leaf in leaves(tree))
    numbers = (abs(leaf) for leaf in leaves(tree) if type(leaf) is int)
    return max(itertools.chain(*shapes, numbers), default=0)


@dataclass
class _Run:
    """One call of a trial while it is answered step by step."""

    request: Request
    names: frozenset[str]
    given: Given
    answers: list[Any] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    outcome: Outcome | None = None  # at its end

    def next(self) -> Request:
        """Return the request that runs the call as far as it is answered."""
        plain = self.request
        args = (plain.function, list(plain.args), dict(plain.kwargs), plain.module, sorted(self.names), self.answers)
        return replace(
            plain,
            function="call_answered",
            args=args,
            kwargs={},
            module=None,
            harness=_HARNESS,
            phase=1,
        )


def right_by_equal_calls(
    replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial]
) -> dict[Trial, tuple[str, ...]]:
    """Return from which wrong exercises trials follow whose code is right on top of such answers.

    Most code that comes here is wrong. So the cheapest trial of an exercise is tried first, and the others where that is right.
    """
    runs = {trial: mine for trial in trials if (mine := _runs(replay, trial))}
    cheapest = {trial.case.exercise: trial for trial in sorted(runs, key=lambda trial: trial.cost, reverse=True)}
    first = _told(replay, source, sandbox, {trial: runs[trial] for trial in cheapest.values()})
    right = {trial.case.exercise for trial, names in first.items() if names}
    left = {trial: mine for trial, mine in runs.items() if trial.case.exercise in right and trial not in first}
    return {trial: names for trial, names in (first | _told(replay, source, sandbox, left)).items() if names}


def wrong_by_equal_calls(replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial]) -> frozenset[Trial]:
    """Return which of several trials are wrong on top of such answers; those that cannot be asked are not among them."""
    told = _told(replay, source, sandbox, {trial: mine for trial in trials if (mine := _runs(replay, trial))})
    return frozenset(trial for trial, names in told.items() if not names)


def _told(
    replay: Replay, source: Source, sandbox: Sandbox, runs: Mapping[Trial, Sequence[_Run]]
) -> dict[Trial, tuple[str, ...]]:
    """Return of each trial that ends what it follows from; nothing of one that is wrong on top of such answers."""
    _play(replay, source, sandbox, [run for mine in runs.values() for run in mine])
    follows = {}
    for trial, mine in runs.items():
        called = frozenset[str]().union(*(run.called for run in mine))
        got = tuple(run.outcome for run in mine if run.outcome)
        ended = called and len(got) == len(mine)
        if ended:
            rights = _rights(replay, trial, called, mine[0].given)
            follows[trial] = tuple(sorted(called)) if any(_is_right(trial, got, right) for right in rights) else ()
    return follows


def _runs(replay: Replay, trial: Trial) -> list[_Run]:
    """Return the calls of a trial to run; none where it is large, asks for gradients or no fraction, or a module is called in it."""
    oracle = replay.oracle
    members = vars(oracle.reference().module)
    may_call = replay.wrong & may_use(oracle, trial.case.exercise)  # one that contains it tells more than its parts do
    names = frozenset(name for name in may_call if isinstance(members.get(name), FunctionType))
    first = next((leaf for outcome in oracle.expected(trial) for leaf in leaves(outcome.value)), None)
    backward = any(request.module and request.module["cotangents"] for request in trial.requests)
    if trial.is_large or backward or fractions_in(first) is None or not replay.wrong_in(trial) <= names:
        return []
    given = Given(replay, trial)
    return [_Run(request, names, given) for request in trial.requests]


def _play(replay: Replay, source: Source, sandbox: Sandbox, runs: Sequence[_Run]) -> None:
    """Run calls in one child, each again with one answer more, until all have ended or cannot be answered."""
    asked = list(runs)

    def more(outcomes: tuple[Outcome, ...]) -> tuple[Request, ...]:
        nonlocal asked
        newest = outcomes[len(outcomes) - len(asked) :]
        asked = [run for run, outcome in zip(asked, newest, strict=True) if _goes_on(run, outcome)]
        return tuple(run.next() for run in asked)

    if asked:
        assignment = replay.oracle.assignment
        limits = assignment.limits
        rationed = Rationed(sandbox, limits.import_seconds + SHARE * limits.total_seconds, patient=True)
        first = tuple(run.next() for run in asked)
        rationed.run(Job(source, first, limits, assignment.shortcuts, assignment.torch, more=more))


def _goes_on(run: _Run, outcome: Outcome) -> bool:
    """Note what came of a run, and say whether its next call has an answer."""
    match outcome.ending, outcome.value:
        case Ending.RETURNED, [str(name), [*args], dict(kwargs)] if name in run.names and len(run.answers) < MOST_CALLS:
            run.called.add(name)
            try:
                run.answers.append(run.given.answer(name, args, kwargs))
            except (ValueError, WireError, MemoryError):
                return False
            return True
        case Ending.RETURNED, [value]:
            run.outcome = replace(outcome, value=value, args=own_arguments(outcome))
    return False


def _rights(replay: Replay, trial: Trial, called: frozenset[str], given: Given) -> Iterator[tuple[Outcome, ...]]:
    """Yield what the reference and the other correct solutions give on top of such answers."""
    yield _answered(trial, replay.oracle.own_reference(), called, given)
    for way in calls_in_ways(replay.oracle, trial):
        yield _answered(trial, way.program(), called, given)


def _answered(trial: Trial, program: Program, called: frozenset[str], given: Given) -> tuple[Outcome, ...]:
    members = vars(program.module)

    def answering(name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: to_worker(given.answer(name, args, kwargs))

    members.update({name: answering(name) for name in called})
    with limited_steps():  # on answers that are not right ones a loop may never end
        return run_requests(program, trial.requests)


def _is_right(trial: Trial, got: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> bool:
    return all(outcome.ending is Ending.RETURNED for outcome in right) and alike_but_for_noise(trial, got, right)
