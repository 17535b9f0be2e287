"""A sandbox without isolation that answers soon: a preloaded process that forks, where this system has one.

It holds no more than `ProcessSandbox` does. Checks that run again and again use it, since people run their own code there, and
trainings on a device that no locked-down profile reaches: to import torch takes longer than many of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Self

from autograder.sandbox.attempt import Child
from autograder.sandbox.child.device import CPU
from autograder.sandbox.job import Isolation, Job, JobResult, Sandbox
from autograder.sandbox.process import ProcessSandbox

Around = Callable[..., Child]


class BareSandbox:
    """Runs jobs in warm processes; from the first time that none can be had, in cold ones."""

    def __init__(
        self,
        *,
        torch: bool,
        jobs: int = 1,
        missing: tuple[str, ...] = (),
        device: str = CPU,
        around: Around = lambda child, _: child,
    ) -> None:
        self._cold = ProcessSandbox(missing, device, around)
        self._warm, self._fallback = _warm(self.isolation, jobs, device, around, torch=torch) or (self._cold, ())
        self._sandbox = self._warm

    @property
    def isolation(self) -> Isolation:
        """What a cold process holds."""
        return self._cold.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job in as many children as it takes."""
        try:
            return self._sandbox.run(job)
        except self._fallback:
            self._sandbox = self._cold  # what runs in the warm one, for other threads, ends there
            return self._cold.run(job)

    def close(self) -> None:
        """End everything, also what is running."""
        self._warm.close()
        self._cold.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _warm(
    isolation: Isolation, jobs: int, device: str, around: Around, *, torch: bool
) -> tuple[Sandbox, tuple[type[Exception], ...]] | None:
    """Return a warm sandbox and what it raises where it cannot start; None where the system has no such process."""
    if sys.platform != "linux":
        return None
    from autograder.sandbox.gpu_files import GpuFiles
    from autograder.sandbox.pool import WarmSandbox
    from autograder.sandbox.slot import Profile, SlotError

    profile = Profile(namespaces=False, landlock=False, seccomp=False, other_uid=False)
    if device != CPU:
        profile = replace(profile, gpu=GpuFiles())  # its children see the GPUs; there is nothing to hide others behind
    return WarmSandbox(jobs, profile, isolation, torch=torch, around=around), (SlotError, OSError)
