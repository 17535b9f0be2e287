"""Stop the reference after too many steps: with other arguments, answers or lines than its own a loop in it may never end.

Steps are counted, not seconds, so that no verdict depends on the load of the machine. Library code is not counted; it ends by
itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

MAX_STEPS = 200_000  # in one call: lines, calls and returns; honest ones take hundreds


class StopError(BaseException):
    """Ends what cannot go on. It is no `Exception`, so that no `except Exception` of the reference catches it."""


@contextmanager
def counting_steps(file: str, step: Callable[[], None]) -> Iterator[None]:
    """Call `step` at every line, call and return of a file's functions in this thread; it may raise StopError.

    The parts of a file that a known mistake changes begin with its name, too.
    """

    def trace(frame: FrameType, *_: object) -> Any:
        if not frame.f_code.co_filename.startswith(file):
            return None
        step()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def limited_steps(file: str) -> Iterator[None]:
    """Raise StopError in a file's functions when they have taken MAX_STEPS."""
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken > MAX_STEPS:
            raise StopError

    with counting_steps(file, step):
        yield
