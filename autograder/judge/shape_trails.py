"""The shapes that values had on the way through a call: how to ask a sandbox for them, and how they are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.judge.trials import Trial
from autograder.sandbox.child import shape_trail
from autograder.sandbox.child.wire_format import MAX_NDIM
from autograder.sandbox.job import Ending, Outcome, Request

Trail = tuple[tuple[str, tuple[int, ...]], ...]  # names and shapes, in the order in which they came up
SHOWN = 8  # steps
MAX_NAME = 40


def trail_request(trial: Trial, call: int) -> Request:
    """Return the request for the trail of one of a trial's calls."""
    made = trial.requests[call]
    asked = (made.function, list(made.args), dict(made.kwargs), made.module)
    harness = Path(shape_trail.__file__).read_text(encoding="utf-8")
    group = f"{made.group}, trail"
    return replace(
        made, function="trail", args=asked, kwargs={}, module=None, group=group, keep_args=False, harness=harness
    )


def trail_of(outcome: Outcome) -> Trail:
    """Return the trail that a sandbox told, as far as it is one."""
    value = outcome.value if outcome.ending is Ending.RETURNED and isinstance(outcome.value, list) else []
    return tuple((step[0][:MAX_NAME], tuple(step[1])) for step in value if _is_step(step))


def _is_step(step: Any) -> bool:
    match step:
        case [str(name), list(shape)]:
            sizes = len(shape) <= MAX_NDIM and all(type(size) is int and size >= 0 for size in shape)
            return sizes and name.isidentifier()
    return False


def shapes_on_the_way(trail: Trail) -> str:
    """Return a trail in a line, or nothing where there are no steps."""
    steps = [f"{name} ({','.join(map(str, shape))}{',' * (len(shape) == 1)})" for name, shape in trail]
    if len(steps) > SHOWN:
        steps[SHOWN - 2 : -1] = ["..."]
    return ", ".join(steps)
