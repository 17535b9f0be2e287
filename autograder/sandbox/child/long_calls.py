"""Where a call stays that takes long: the line of the student's own code, kept where the grader reads it if time runs out.

What an endless loop calls comes and goes, and the call that the loop stands in stays: of the calls that are open at one look
and still at the next, the innermost is told, by the line that it is in.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
from collections.abc import Sequence
from types import FrameType

PLACE = struct.Struct("<II")  # the number of a file or cell, from 1 on, and a line
SECONDS = 0.25  # between two looks; a call that takes less is never looked at


class LongCalls:
    """Looks now and then at what the main thread is doing."""

    def __init__(self, labels: Sequence[str], marks: int, offset: int) -> None:
        """`labels` are the names of the code's files or cells; the place is written to the file `marks` at an offset."""
        self._numbers = {label: number for number, label in enumerate(labels, 1)}
        self._marks, self._offset = marks, offset
        self._open: list[FrameType] = []  # the frames themselves, since another may get the address of one that is gone

    def watch(self) -> None:
        """Begin to look, where the system has such a timer."""
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._look)
            signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)

    def _look(self, _: int, frame: FrameType | None) -> None:
        with contextlib.suppress(Exception):  # else what happens here would be raised in the student's code
            now = self._calls(frame)
            stay = [one for one, before in zip(now, self._open, strict=False) if one is before] or now
            self._open = now
            if stay:
                number = self._numbers[stay[-1].f_code.co_filename]
                os.pwrite(self._marks, PLACE.pack(number, stay[-1].f_lineno), self._offset)

    def _calls(self, frame: FrameType | None) -> list[FrameType]:
        """Return the open calls of the student's code, the outermost first."""
        found: list[FrameType] = []
        while frame is not None:
            if frame.f_code.co_filename in self._numbers:
                found.append(frame)
            frame = frame.f_back
        return found[::-1]
