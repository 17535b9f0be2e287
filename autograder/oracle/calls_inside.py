"""Find out whether an exercise is right wherever a student's code calls it, though it is wrong elsewhere.

The calls, told by a child, may be made up, and the reference makes them here: a mask of 100,000 by 100,000 would be too large for
this process. So neither their number nor what they are given may be far beyond what the cases give.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from autograder.judge.compare import alike
from autograder.judge.tolerance import TOLERANCE
from autograder.judge.trials import Trial
from autograder.oracle.answer_sizes import Size, fits, size_of
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.student_calls import StudentCall
from autograder.sandbox.child import stand_ins
from autograder.sandbox.child.tree import leaves
from autograder.sandbox.child.wire_format import snapshot
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source

MOST_CALLS = 1000  # inside the failed cases of one exercise
_HARNESS = f"from {stand_ins.__name__} import calls_inside"


def right_inside(
    oracle: Reference,
    source: Source,
    sandbox: Sandbox,
    trials: Iterable[Trial],
    exercise: str,
    tolerance: float = TOLERANCE,
) -> bool:
    """Return whether all calls that a student's code makes of an exercise in some trials give what the reference gives.

    Of modules this is not known, and they are taken to be wrong.
    """
    parameters = oracle.signatures.get(exercise)
    if parameters is None:
        return False
    requests = tuple(_watching(r, exercise, parameters) for trial in trials for r in trial.requests)
    assignment = oracle.assignment
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    calls = list(itertools.chain.from_iterable(map(_told, ran.outcomes)))
    replay, usual = Replay(oracle, frozenset()), _usual(oracle, exercise)
    return len(calls) <= MOST_CALLS and all(_is_right(replay, exercise, call, usual, tolerance) for call in calls)


def _watching(request: Request, exercise: str, parameters: tuple[str, ...]) -> Request:
    args = (request.function, list(request.args), dict(request.kwargs), request.module, exercise, list(parameters))
    return replace(
        request, function="calls_inside", args=args, kwargs={}, module=None, harness=_HARNESS, keep_args=False, phase=1
    )


def _told(outcome: Outcome) -> list[Any]:
    """Return the calls that a child told; something that is none where it told nothing of the kind."""
    return outcome.value if outcome.ending is Ending.RETURNED and isinstance(outcome.value, list) else [None]


def _usual(oracle: Reference, exercise: str) -> Size:
    """Return the size of the largest arguments in the exercise's own cases."""
    sizes = [_given(made.args, dict(made.kwargs)) for trial in oracle.trials_of(exercise) for made in trial.calls]
    return max((size for size, _ in sizes), default=0), max((count for _, count in sizes), default=0)


def _given(*arguments: Any) -> Size:
    """Return the size of arguments; a single fraction may be a count as well as a whole number."""
    single = [abs(leaf) for leaf in leaves(arguments) if isinstance(leaf, float) and math.isfinite(leaf)]
    entries, count = size_of(arguments)
    return entries, max([count, *map(math.ceil, single)])


def _is_right(replay: Replay, exercise: str, call: Any, usual: Size, tolerance: float) -> bool:
    """Whether what a child told is a call that has the right answer; it may have any form."""
    match call:
        case [list(args), value]:
            asked = StudentCall(exercise, tuple(args), {}, None)
            return fits(_given(args), usual) and _has_answer(replay, asked, value, tolerance)
    return False


def _has_answer(replay: Replay, asked: StudentCall, value: Any, tolerance: float) -> bool:
    try:
        return alike(value, snapshot(replay.right(asked)), tolerance)
    except ValueError:
        return False
