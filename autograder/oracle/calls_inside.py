"""Find out whether an exercise is right wherever a student's code calls it, though it is wrong elsewhere."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from autograder.judge.compare import alike
from autograder.judge.trials import Trial
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.student_calls import StudentCall
from autograder.sandbox.child import stand_ins
from autograder.sandbox.child.wire_format import snapshot
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source

_HARNESS = inspect.getsource(stand_ins)  # the child can read no file once it has a submission


def right_inside(oracle: Reference, source: Source, sandbox: Sandbox, trials: Iterable[Trial], exercise: str) -> bool:
    """Return whether all calls that a student's code makes of an exercise in some trials give what the reference gives.

    Of modules this is not known, and they are taken to be wrong.
    """
    parameters = oracle.signatures.get(exercise)
    if parameters is None:
        return False
    requests = tuple(_watching(r, exercise, parameters) for trial in trials for r in trial.requests)
    assignment = oracle.assignment
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    replay = Replay(oracle, frozenset())
    return all(_is_right(replay, exercise, outcome) for outcome in ran.outcomes)


def _watching(request: Request, exercise: str, parameters: tuple[str, ...]) -> Request:
    args = (request.function, list(request.args), dict(request.kwargs), request.module, exercise, list(parameters))
    return replace(
        request, function="calls_inside", args=args, kwargs={}, module=None, harness=_HARNESS, keep_args=False, phase=1
    )


def _is_right(replay: Replay, exercise: str, outcome: Outcome) -> bool:
    """Whether a child told calls that have the right answers; what it tells may have any form."""
    if outcome.ending is not Ending.RETURNED or not isinstance(outcome.value, list):
        return False
    for call in outcome.value:
        match call:
            case [list(args), value]:
                if not _has_answer(replay, StudentCall(exercise, tuple(args), {}, None), value):
                    return False
            case _:
                return False
    return True


def _has_answer(replay: Replay, asked: StudentCall, value: Any) -> bool:
    try:
        return alike(value, snapshot(replay.right(asked)))
    except ValueError:
        return False
