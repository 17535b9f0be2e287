"""Follow one call of student code and tell the shapes that its values had on the way.

It is a harness: its text is run beside student code as a training's is, and only where people check code of their own.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np

from autograder.sandbox.child.module_call import make_call

MOST = 40  # steps


def trail(
    module: Any, report: object, path: str, args: list[Any], kwargs: dict[str, Any], made: dict[str, Any] | None
) -> list[list[Any]]:
    """Call a function or a module's method; return [name, shape] of its arguments, what it gave a name to, and what it returned.

    Of what ends in an exception these are the shapes up to there.
    """
    del report
    found = module
    for name in path.split("."):
        found = getattr(found, name)
    constructed = made is not None and made["init"] is not None
    target = getattr(getattr(found, made["method"], None) if made and constructed else found, "__code__", None)
    steps: list[list[Any]] = []
    sys.settrace(_tracer(target, steps) if target else None)
    try:
        with contextlib.suppress(BaseException):
            make_call(found, made, args, kwargs)
    finally:
        sys.settrace(None)
    return steps


def _tracer(target: CodeType, steps: list[list[Any]]) -> Callable[[FrameType, str, Any], Any]:
    """Return a trace function that adds the steps of the first call of some code."""
    before: dict[str, Any] = {}
    inside: list[FrameType] = []

    def step(frame: FrameType, event: str, value: Any) -> Any:
        for name, local in frame.f_locals.items():
            if before.get(name) is not local and len(steps) < MOST:
                before[name] = local
                _tell(steps, name, local)
        if event == "return":
            _tell(steps, "return", value)
        return step

    def begin(frame: FrameType, _: str, __: Any) -> Any:
        if frame.f_code is not target or inside:
            return None
        inside.append(frame)
        return step(frame, "call", None)

    return begin


def _tell(steps: list[list[Any]], name: str, value: Any) -> None:
    if isinstance(value, np.ndarray) or hasattr(value, "detach"):
        told = [name, [int(size) for size in value.shape]]
        if told not in steps:
            steps.append(told)
