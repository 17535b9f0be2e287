"""Stop a statement that never ends while a file is imported, such as a training at its bottom, so that its functions still count."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

SHARE = 0.93  # of the computing time that is left, after which a statement is stopped; timers are up to a tenth early
LEAST, AGAIN = 0.05, 0.25  # seconds that it has at least, and until it is stopped once more, where it went on


class TooLongError(BaseException):
    """Ends a statement. It is no `Exception`, so that no `except Exception` goes on."""


class ImportClock:
    """Bounds what a process computes while it imports."""

    def __init__(self, seconds: float) -> None:
        """`seconds` are those after which the grader ends the process; 0 for no bound."""
        self._seconds, self._began = seconds, time.process_time()

    @contextlib.contextmanager
    def statement(self) -> Iterator[None]:
        """Raise TooLongError in what runs here when it has had its share of the time, where the system has such a timer."""
        left = self._seconds - (time.process_time() - self._began)
        if not self._seconds or not hasattr(signal, "setitimer"):
            yield
            return
        signal.signal(signal.SIGPROF, _stop)
        outer = signal.setitimer(signal.ITIMER_PROF, max(SHARE * left, LEAST), AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, *outer)  # of the statement that imports this file


def _stop(_: int, __: FrameType | None) -> NoReturn:
    raise TooLongError
