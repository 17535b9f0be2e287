"""The grader's own CPU time for a piece of work: that of the calling thread, without Python's collections of garbage.

How long a collection takes depends on all that this process holds, and whom it happens to meet is chance. A grader that holds
much spends tenths of a second on one.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Mapping


class _Collections(threading.local):
    """Of one thread: when the collection that is going on began, and the seconds of all before it."""

    began = 0.0
    seconds = 0.0


_collections = _Collections()


def own_seconds() -> float:
    """Return CPU seconds of this thread in which it collected no garbage; only differences mean something."""
    return time.thread_time() - _collections.seconds


def _note(phase: str, _info: Mapping[str, int]) -> None:
    """Be told by Python, in the thread concerned, that a collection starts or stops."""
    now = time.thread_time()
    if phase == "start":
        _collections.began = now
    else:
        _collections.seconds += now - _collections.began


gc.callbacks.append(_note)
