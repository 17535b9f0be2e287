"""Start processes from a thread that lasts as long as this process.

Bubblewrap has its process killed with its parent, and to Linux the parent is the thread that started it: prctl(2), at
PR_SET_PDEATHSIG. Started by a thread of a pool, a zygote would be gone with that pool, and its next job would pay for a new one.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any


def start_process(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that outlives the calling thread; `options` are those of `subprocess.Popen`, whose errors are raised."""

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, **options)

    lasts = threading.current_thread() is threading.main_thread()
    return start() if lasts else _starter(os.getpid()).submit(start).result()


@cache
def _starter(_: int) -> ThreadPoolExecutor:
    """Return the thread that starts processes; a fork has none of its parent's threads, and so one of its own."""
    return ThreadPoolExecutor(1, "starts processes")
