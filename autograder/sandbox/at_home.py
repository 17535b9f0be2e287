"""The sandbox of a check that runs again and again: a preloaded process that forks, where this system has one.

It holds no more than `ProcessSandbox` does, since people run their own code in it; it only answers sooner.
"""

from __future__ import annotations

import sys
from typing import Self

from autograder.sandbox.job import Job, JobResult, Sandbox
from autograder.sandbox.process import COLD, ProcessSandbox


class HomeSandbox:
    """Runs jobs in a warm process; from the first time that none can be had, in cold ones."""

    isolation = COLD

    def __init__(self, *, torch: bool) -> None:
        self._sandbox, self._fallback = _warm(torch=torch) or (ProcessSandbox(), ())

    def run(self, job: Job) -> JobResult:
        """Run a job in as many children as it takes."""
        try:
            return self._sandbox.run(job)
        except self._fallback:
            self._sandbox.close()
            self._sandbox, self._fallback = ProcessSandbox(), ()
            return self._sandbox.run(job)

    def close(self) -> None:
        """End everything, also what is running."""
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _warm(*, torch: bool) -> tuple[Sandbox, tuple[type[Exception], ...]] | None:
    """Return a warm sandbox and what it raises where it cannot start; None where the system has no such process."""
    if sys.platform != "linux":
        return None
    from autograder.sandbox.pool import WarmSandbox
    from autograder.sandbox.slot import Profile, SlotError

    bare = Profile(namespaces=False, landlock=False, seccomp=False, other_uid=False)
    return WarmSandbox(1, bare, COLD, torch=torch), (SlotError, OSError)
