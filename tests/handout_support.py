"""What tests of handouts share."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self


def without_seconds(tree: Any) -> Any:
    """Return a result without what differs from run to run."""
    if isinstance(tree, dict):
        return {key: without_seconds(value) for key, value in tree.items() if key != "seconds"}
    return [without_seconds(item) for item in tree] if isinstance(tree, list | tuple) else tree


class Terminal:
    """A program in a terminal of its own; a context manager."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", "NO_COLOR": "1"}
        self.modes = termios.tcgetattr(theirs)
        self._theirs = theirs
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        self._read = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def until(self, text: str, seconds: float = 60) -> str:
        """Return what it shows up to a text, and forget it. Raises AssertionError where the text does not come."""
        end = time.monotonic() + seconds
        while text not in self._read:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{text!r} did not come; it shows {self._read}"
            self._read += os.read(self._ours, 1 << 16).decode().replace("\r\n", "\n")
        shown, _, self._read = self._read.partition(text)
        return shown

    def press(self, key: str) -> None:
        """Press a key."""
        os.write(self._ours, key.encode())

    def left(self) -> bool:
        """Whether the terminal is as it was before."""
        return termios.tcgetattr(self._theirs) == self.modes
