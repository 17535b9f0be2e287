"""Single keys, pressed in a terminal while something else is watched."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import time
from collections.abc import Iterator
from typing import Self

try:
    import termios
    import tty
except ImportError:  # Windows, which has no such modes
    termios = None  # type: ignore[assignment]

_LOOK_SECONDS = 0.02
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;]*.|O.)?")  # arrows and the like, which are no letters of ours

_WINDOWS_ESCAPES = ("\0", "\xe0")  # the same there: a second character says which; alone, the other is an à


class Keys:
    """The keys of the terminal that this runs in, without Enter; a context manager, which leaves the terminal as it was."""

    def __init__(self) -> None:
        self.live = sys.stdin.isatty() and sys.stdout.isatty()  # whether there is a terminal at all
        self._exit = contextlib.ExitStack()

    def __enter__(self) -> Self:
        if self.live:
            self._exit.enter_context(_single_keys())
        return self

    def __exit__(self, *exception: object) -> None:
        self._exit.close()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Give the terminal to another program as it was."""
        self._exit.close()
        try:
            yield
        finally:
            self.__enter__()

    def pressed(self, seconds: float) -> str:
        """Return the key that is pressed within that time, as a small letter, or an empty text; q where the terminal is gone."""
        if termios is None:
            return _pressed_on_windows(seconds)
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return ""
        try:
            text = os.read(sys.stdin.fileno(), 32).decode(errors="replace")
        except OSError:
            return "q"
        return _ESCAPES.sub("", text)[:1].lower() if text else "q"


@contextlib.contextmanager
def _single_keys() -> Iterator[None]:
    if termios is None:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _pressed_on_windows(seconds: float) -> str:
    import msvcrt

    end = time.monotonic() + seconds
    while not msvcrt.kbhit():  # type: ignore[attr-defined]
        if time.monotonic() > end:
            return ""
        time.sleep(_LOOK_SECONDS)
    key = str(msvcrt.getwch())  # type: ignore[attr-defined]
    if key in _WINDOWS_ESCAPES and msvcrt.kbhit():  # type: ignore[attr-defined]
        msvcrt.getwch()  # type: ignore[attr-defined]
        return ""
    return key.lower()
