"""How much CPU time another process has used, and waited for, where the system tells."""

from __future__ import annotations

import sys
import time
from pathlib import Path

_ALL_THREADS = 2  # CPUCLOCK_SCHED of Linux's <linux/posix-timers.h>: the time that the scheduler gave to all threads


class CpuClock:
    """The CPU time of one process: clock_getcpuclockid of POSIX, which Python does not offer, as Linux computes it."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        known = pid is not None and pid > 0 and sys.platform == "linux"
        self._clock = (~pid << 3) | _ALL_THREADS if known and pid is not None else None

    def seconds(self) -> float | None:
        """Return the CPU seconds so far; None where the system does not tell, or the process is gone."""
        if self._clock is None:
            return None
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return None

    def delayed(self) -> float:
        """Return the seconds that it was ready to run and others had the processors; none where the system does not tell.

        Source: Documentation/scheduler/sched-stats.rst of Linux, which counts the first thread alone.
        """
        try:
            return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, LookupError, ValueError):
            return 0.0


def process_behind(pidfd: int) -> int | None:
    """Return the number, in our own namespace, of the process that a pidfd is for; None where it is not told."""
    try:
        lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    except OSError:
        return None
    return next((int(line[4:]) for line in lines if line.startswith("Pid:")), None)
