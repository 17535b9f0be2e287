"""Tell whether an exercise that crashed on another one's wrong answer is right by itself.

What the other should have given cannot be handed to the student's code, which is not to know it. So random functions stand
in for all that is wrong, in the sandbox and here, and the student's outcome among them is compared with the reference's.
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.trials import Trial
from autograder.oracle.reference import Reference, run_requests
from autograder.oracle.replay import Replay
from autograder.sandbox.child import stand_ins
from autograder.sandbox.child.stand_ins import in_order, shapes_of
from autograder.sandbox.child.tree import Tensor, array_of, as_arrays, map_leaves
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source

_HARNESS = inspect.getsource(stand_ins)  # the child can read no file once it has a submission
MANY = 0.7  # of the entries of a random mask are true, and the first of each row: no row of scores is hidden whole


def right_among_stand_ins(
    oracle: Reference, replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial]
) -> dict[Trial, tuple[str, ...]]:
    """Return trials with the wrong exercises behind them: none where the calling one is wrong by itself.

    A trial is left out where nothing can be told: nothing wrong is called, or nothing can stand in for it.
    """
    asked: dict[Trial, tuple[Request, ...]] = {}
    for trial in trials:
        others = _stand_ins(oracle, replay, trial)
        if others:
            asked[trial] = tuple(_among(request, others) for request in trial.requests)
    expected = {trial: run_requests(oracle.own_reference(), requests) for trial, requests in asked.items()}
    told = [trial for trial, outcomes in expected.items() if all(o.ending is Ending.RETURNED for o in outcomes)]
    if not told:
        return {}
    limits, shortcuts = oracle.assignment.limits, oracle.assignment.shortcuts
    requests = tuple(request for trial in told for request in asked[trial])
    outcomes = iter(sandbox.run(Job(source, requests, limits, shortcuts, oracle.assignment.torch)).outcomes)
    got: dict[Trial, tuple[Outcome, ...]] = {t: tuple(next(outcomes) for _ in t.requests) for t in told}
    return {t: tuple(sorted(asked[t][0].args[-1])) if same_outcomes(t, got[t], expected[t]) else () for t in told}


def _among(request: Request, others: dict[str, Any]) -> Request:
    """Return the request that makes the same call among stand-ins."""
    args = (request.function, list(request.args), dict(request.kwargs), request.module, others)
    return replace(
        request, function="call_among", args=args, kwargs={}, module=None, harness=_HARNESS, keep_args=False, phase=1
    )


def _stand_ins(oracle: Reference, replay: Replay, trial: Trial) -> dict[str, Any]:
    """Return the wrong exercises that the reference calls in a trial, each as its parameters and its random answers.

    There are none where one of them answers with something that cannot be drawn, such as tokens.
    """
    rng = np.random.default_rng(zlib.crc32(f"{oracle.seed}.{trial.case.exercise}.{trial.case.name}".encode()))
    others: dict[str, Any] = {}
    for asked in replay.calls(trial):
        parameters = oracle.signatures[f"{asked.name}.forward" if asked.module else asked.name]
        _, answers = others.setdefault(asked.name, (list(parameters), []))
        shapes = shapes_of(in_order(parameters, as_arrays(asked.args), as_arrays(asked.kwargs)))
        if any(known == shapes for known, _ in answers):
            continue
        try:
            answers.append((shapes, map_leaves(lambda leaf: _drawn(leaf, rng), replay.right(asked))))
        except ValueError:
            return {}
    return others


def _drawn(leaf: Any, rng: np.random.Generator) -> Any:
    """Return fractions or truth values drawn in the place of an answer's own. Raises ValueError for anything else."""
    array = array_of(leaf)
    if leaf is None or array is None:
        if not isinstance(leaf, float | None):
            raise ValueError("nothing random can stand in for it")
        return leaf if leaf is None else float(rng.uniform())
    if array.dtype.kind == "f":
        drawn = rng.uniform(0.05, 1.0, array.shape).astype(array.dtype)
    elif array.dtype == bool:
        drawn = rng.uniform(size=array.shape) < MANY
        drawn[..., :1] = True
    else:
        raise ValueError("nothing random can stand in for whole numbers")
    return drawn if isinstance(leaf, np.ndarray) else Tensor(drawn)
