"""Write the files of many students in several processes: one process of Python computes on one core at a time.

They are forked, so records need not be sent. What one of them does not finish is written by the process that asked, which so meets
the same error.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")  # what is known of a student
LEAST = 16  # students for each process; fewer are written sooner than a process starts


def write_all(write: Callable[[T], None], records: Sequence[T], jobs: int) -> None:
    """Call `write`, which leaves nothing but files, for every record, in at most so many processes. Raises what `write` raises."""
    count = max(1, min(jobs, len(records) // LEAST)) if sys.platform == "linux" else 1
    mine, *others = (records[start::count] for start in range(count))
    context = multiprocessing.get_context("fork")
    beside = [(context.Process(target=_write_apart, args=(write, some), daemon=True), some) for some in others]
    for process, _ in beside:
        process.start()
    for record in mine:
        write(record)
    for process, some in beside:
        process.join()
        for record in some if process.exitcode else ():
            write(record)


def _write_apart(write: Callable[[T], None], records: Sequence[T]) -> None:
    """Write files in a process of its own, and say by its exit code alone whether that failed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is told by the process that asked
    try:
        for record in records:
            write(record)
    except Exception:  # noqa: BLE001 (the process that asked meets it again)
        sys.exit(1)
