"""What the machine offers at the moment: processors, and how many others want them."""

from __future__ import annotations

import os

MOST_PATIENCE = 4.0


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def patience() -> float:
    """Return by how much time limits have to grow so that right code is not stopped because others are at work, too.

    One on a machine with time to spare; with three processes for each processor, three; four at the most.
    """
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return min(max(1.0, load / cores()), MOST_PATIENCE)
