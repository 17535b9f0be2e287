"""Make calls in the trusted process, as the worker makes them there: with one random state, and silently."""

from __future__ import annotations

import random
import threading
from typing import Any, cast

import numpy as np

from autograder.oracle.fresh_program import quiet
from autograder.sandbox.child.program import Invocation, Program, answer, evaluate, reseed
from autograder.sandbox.child.tree import imported_torch
from autograder.sandbox.child.wire_format import snapshot
from autograder.sandbox.events import read_trouble
from autograder.sandbox.job import Ending, Outcome, Request
from autograder.sandbox.termination import Terminated, terminate

# Python, numpy and torch each have one random state for all threads; a case holds this lock while it uses them.
RANDOM = threading.RLock()


def run_requests(program: Program, requests: tuple[Request, ...]) -> tuple[Outcome, ...]:
    """Make calls here, in the trusted process, as the worker makes them there."""
    with RANDOM:
        return tuple(run_request(program, request, first=not number) for number, request in enumerate(requests))


def to_worker(tree: Any) -> Any:
    """Return a copy of a tree as the worker gets it: with torch's tensors, and functions for `Code`."""
    return snapshot(tree, torch=imported_torch(), evaluate=evaluate)


def run_request(program: Program, request: Request, *, first: bool, made: Any = None) -> Outcome:
    """Make one call here exactly as the worker makes it, so that both outcomes have the same form.

    The caller holds RANDOM. The random state is set for the `first` call of a case, not for each call. A torch module is
    made for the call, unless there is one that is `made` already.
    """
    asked = request.module if made is None else {**(request.module or {}), "state": {}}
    # Each by itself: plain arguments and values, which most are, are copied by a short way.
    args, kwargs, module = map(to_worker, (list(request.args), dict(request.kwargs), asked))
    if made is not None:
        module["made"] = made
    with quiet():
        if first:
            reseed(request.seed)
        call = Invocation(request.function, args, kwargs, module, request.keep_args, request.harness)
        curve: list[tuple[int, float]] = []
        event = answer(program, call, lambda step, loss: curve.append((int(step), float(loss))))
    trouble = read_trouble(snapshot(event["trouble"])) if "trouble" in event else None
    # What is meant for the grader is so whichever code it interrupted.
    if trouble and trouble.type_name == KeyboardInterrupt.__name__:
        raise KeyboardInterrupt
    if trouble and trouble.type_name == Terminated.__name__:
        terminate()
    return Outcome(
        Ending(event["ending"]),
        snapshot(event.get("value")),
        tuple(snapshot(event.get("args", []))),
        trouble,
        curve=tuple(curve),
    )


def random_state() -> tuple[Any, ...]:
    """Return the random states that `reseed` sets, to compare and to set again. The caller holds RANDOM."""
    torch = imported_torch()
    drawn = torch.default_generator.get_state().numpy().tobytes() if torch else b""
    name, keys, *rest = cast("tuple[str, np.ndarray, int, int, float]", np.random.get_state())  # noqa: NPY002
    return random.getstate(), (name, keys.tobytes(), *rest), drawn


def set_random_state(state: tuple[Any, ...]) -> None:
    """Set what `random_state` returned. The caller holds RANDOM."""
    mine, (name, keys, *rest), drawn = state
    random.setstate(mine)
    np.random.set_state((name, np.frombuffer(keys, np.uint32), *rest))  # noqa: NPY002
    if torch := imported_torch():
        torch.default_generator.set_state(torch.frombuffer(bytearray(drawn), dtype=torch.uint8))
