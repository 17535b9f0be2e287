"""Decide whether an exercise is right that calls wrong ones with other arguments than the reference, which come to the same.

What a stand-in answers depends on its arguments. Right code may lower scores before their softmax, count an axis from the front, or
hand over more than is read. So here what is answered depends on the right answer alone: the student's code runs up to its next call
of a wrong exercise, the right answer to that is turned into random numbers here, and it runs again with these, until it ends. The
numbers do not tell the right answer, and the reference gets the same ones wherever it would come to the same answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import numpy as np

from autograder.judge.trials import Trial
from autograder.oracle.noise import alike_but_for_noise, fractions_in
from autograder.oracle.other_ways import calls_in_ways
from autograder.oracle.reference import run_requests, to_worker
from autograder.oracle.replay import Replay
from autograder.oracle.stand_ins import drawn_like, own_arguments
from autograder.oracle.step_limit import limited_steps
from autograder.oracle.student_calls import StudentCall
from autograder.sandbox.child import answered_calls
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.stand_ins import mixed_alike
from autograder.sandbox.child.tree import Tensor, array_of, as_arrays, leaves, map_leaves
from autograder.sandbox.child.wire_format import encode, snapshot
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.time_limits import Rationed

SHARE = 0.25  # of the time for all cases
LIVELINESS = (
    30.0  # of what is answered: for right answers that differ in the fourth place it differs by more than noise
)
MOST_CALLS = 100  # of wrong exercises in one call; each has the submission's code run again
_HARNESS = f"from {answered_calls.__name__} import call_answered"


@dataclass
class _Run:
    """One call of a trial while it is answered step by step."""

    request: Request
    names: frozenset[str]
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
    """Return from which wrong exercises trials follow whose code is right on top of answers that depend on the right ones.

    Most code that comes here is wrong. So the cheapest trial of an exercise is tried first, and the others where that is right.
    """
    runs = {trial: mine for trial in trials if (mine := _runs(replay, trial))}
    cheapest = {trial.case.exercise: trial for trial in sorted(runs, key=lambda trial: trial.cost, reverse=True)}
    follows = _right_of(replay, source, sandbox, {trial: runs[trial] for trial in cheapest.values()})
    right = {trial.case.exercise for trial in follows}
    left = {trial: mine for trial, mine in runs.items() if trial.case.exercise in right and trial not in follows}
    return follows | _right_of(replay, source, sandbox, left)


def _right_of(
    replay: Replay, source: Source, sandbox: Sandbox, runs: Mapping[Trial, Sequence[_Run]]
) -> dict[Trial, tuple[str, ...]]:
    _play(replay, source, sandbox, [run for mine in runs.values() for run in mine])
    follows = {}
    for trial, mine in runs.items():
        called = frozenset[str]().union(*(run.called for run in mine))
        got = tuple(run.outcome for run in mine if run.outcome)
        ended = called and len(got) == len(mine)
        if ended and any(_is_right(trial, got, right) for right in _rights(replay, trial, called)):
            follows[trial] = tuple(sorted(called))
    return follows


def _runs(replay: Replay, trial: Trial) -> list[_Run]:
    """Return the calls of a trial to run; none where it is large, asks for gradients or no fraction, or a module is called in it."""
    oracle = replay.oracle
    given = vars(oracle.reference().module)
    names = frozenset(name for name in replay.wrong if isinstance(given.get(name), FunctionType)) - {
        trial.case.exercise
    }
    first = next((leaf for outcome in oracle.expected(trial) for leaf in leaves(outcome.value)), None)
    backward = any(request.module and request.module["cotangents"] for request in trial.requests)
    if trial.is_large or backward or fractions_in(first) is None or not replay.wrong_in(trial) <= names:
        return []
    return [_Run(request, names) for request in trial.requests]


def _play(replay: Replay, source: Source, sandbox: Sandbox, runs: Sequence[_Run]) -> None:
    """Run calls in one child, each again with one answer more, until all have ended or cannot be answered."""
    asked = list(runs)

    def more(outcomes: tuple[Outcome, ...]) -> tuple[Request, ...]:
        nonlocal asked
        newest = outcomes[len(outcomes) - len(asked) :]
        asked = [run for run, outcome in zip(asked, newest, strict=True) if _goes_on(replay, run, outcome)]
        return tuple(run.next() for run in asked)

    if asked:
        assignment = replay.oracle.assignment
        limits = assignment.limits
        rationed = Rationed(sandbox, limits.import_seconds + SHARE * limits.total_seconds, patient=True)
        first = tuple(run.next() for run in asked)
        rationed.run(Job(source, first, limits, assignment.shortcuts, assignment.torch, more=more))


def _goes_on(replay: Replay, run: _Run, outcome: Outcome) -> bool:
    """Note what came of a run, and say whether its next call has an answer."""
    match outcome.ending, outcome.value:
        case Ending.RETURNED, [str(name), [*args], dict(kwargs)] if name in run.names and len(run.answers) < MOST_CALLS:
            run.called.add(name)
            try:
                run.answers.append(_disguised(replay, name, args, kwargs))
            except ValueError:
                return False
            return True
        case Ending.RETURNED, [value]:
            run.outcome = replace(outcome, value=value, args=own_arguments(outcome))
    return False


def _disguised(replay: Replay, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return random numbers that depend on the right answer to a call. Raises ValueError where there is none."""
    right = snapshot(replay.right(StudentCall(name, tuple(args), dict(kwargs), None)))
    exact = [leaf for leaf in leaves(right) if fractions_in(leaf) is None]
    shapes = [getattr(array_of(leaf), "shape", ()) for leaf in leaves(right)]
    key = f"{replay.oracle.seed}.{name}.{shapes}".encode() + encode(exact)
    rng = np.random.default_rng(zlib.crc32(key))
    drawn = map_leaves(lambda leaf: drawn_like(leaf, rng), right)
    mixed = iter(list(leaves(mixed_alike(as_arrays(drawn), [as_arrays(right)], LIVELINESS))))

    def of_kind(leaf: Any) -> Any:
        new = next(mixed)
        if fractions_in(leaf) is None:
            return leaf
        return Tensor(new) if isinstance(leaf, Tensor) else new

    return map_leaves(of_kind, drawn)


def _rights(replay: Replay, trial: Trial, called: frozenset[str]) -> Iterator[tuple[Outcome, ...]]:
    """Yield what the reference and the other correct solutions give on top of such answers."""
    yield _answered(replay, trial, replay.oracle.own_reference(), called)
    for way in calls_in_ways(replay.oracle, trial):
        yield _answered(replay, trial, way.program(), called)


def _answered(replay: Replay, trial: Trial, program: Program, called: frozenset[str]) -> tuple[Outcome, ...]:
    members = vars(program.module)

    def answering(name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: to_worker(_disguised(replay, name, args, kwargs))

    members.update({name: answering(name) for name in called})
    with limited_steps():  # on answers that are not right ones a loop may never end
        return run_requests(program, trial.requests)


def _is_right(trial: Trial, got: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> bool:
    return all(outcome.ending is Ending.RETURNED for outcome in right) and alike_but_for_noise(trial, got, right)
