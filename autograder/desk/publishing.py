"""Bring the files of a class up to date in the background while graders decide at the desk.

What they say is in the gradebook at once. Files follow when it has been quiet for a moment, or half a minute later, written by
a process of their own so that pages stay quick; while another command is at work on the class they wait for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from autograder.classroom.gradebook import GradebookError
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.pages.class_files import publish

_QUIET, _AT_MOST, _AGAIN, _AT_END = 2.0, 30.0, 2.0, 10.0  # seconds


class Publisher:
    """A thread that publishes a class after changes."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._changed, self._over = threading.Event(), threading.Event()
        self._last = 0.0
        self._thread = threading.Thread(target=self._work, name="publisher", daemon=True)

    def start(self) -> None:
        """Begin; what an earlier desk could not publish any more comes first."""
        self._changed.set()
        self._thread.start()

    def note_change(self) -> None:
        """Say that the gradebook changed."""
        self._last = time.monotonic()
        self._changed.set()

    def stop(self) -> None:
        """Publish what is left, and end; say so where another command keeps the class."""
        self._over.set()
        self._changed.set()
        self._thread.join()
        until = time.monotonic() + _AT_END
        while (trouble := _published(self._out)) and time.monotonic() < until:
            time.sleep(0.5)
        if trouble:
            told = f"The gradebook holds all that was said at the desk; run autograder report {self._out}."
            print(f"autograder: {trouble} {told}", file=sys.stderr)

    def _work(self) -> None:
        while not self._over.is_set():
            self._changed.wait()
            until = time.monotonic() + _AT_MOST
            while time.monotonic() < min(until, self._last + _QUIET) and not self._over.is_set():
                self._over.wait(0.2)
            self._changed.clear()
            if not self._over.is_set() and not self._publish():
                self._changed.set()
                self._over.wait(_AGAIN)

    def _publish(self) -> bool:
        """Publish in another process, which Ctrl-C does not reach; return whether that could be done."""
        command = [sys.executable, "-P", "-m", __name__, str(self._out)]  # no module of the folder that we are in
        known = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(command, capture_output=True, check=False, start_new_session=True, env=known)
        return done.returncode == 0


def _published(out: Path) -> str:
    """Publish a class, or return why that cannot be done now."""
    try:
        with open_gradebook(out) as book:
            publish(book)
    except (GradebookError, OSError) as error:
        return str(error)
    return ""


if __name__ == "__main__":
    sys.exit(_published(Path(sys.argv[1])))
