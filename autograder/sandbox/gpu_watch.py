"""Watch what children take of a GPU's memory, and whether a device still answers, so that no student pays for a lost one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self

from autograder.sandbox.attempt import Child
from autograder.sandbox.child.device import CPU
from autograder.sandbox.cpu_clock import CpuClock
from autograder.sandbox.endings import GPU_LOST, TOOK_GPU_MEMORY, TOOK_SHARED_MEMORY
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Sandbox, Trouble
from autograder.sandbox.pipes import Ends

LOOK_SECONDS = 0.25  # between two looks at the GPU's memory
HELD_ON = "a process that was killed there did not end"
OUT_OF_MEMORY = "out of memory"  # in torch's words and NVIDIA's; a GPU that is full is not lost
DRIVER = "it can give the GPU's driver every command (ioctl) that there is, and use all of the GPUs' time"
UNWATCHED = "it can take all of the GPU's memory: nvidia-ml-py, which would tell, {0}"
BLIND = "tells nothing of a process that computed here, as in a container"
SHARED = f"it can take all of this machine's memory in shared mappings for {LOOK_SECONDS:g} s, until that is seen"
BRIEFLY = f"it can take all of the GPU's memory for {LOOK_SECONDS:g} s, until that is seen"

Meter = Callable[[], Mapping[int, int]]  # bytes of GPU memory by the numbers of the processes that hold them
Trial = Callable[[str, Sandbox], str]  # why code in a sandbox cannot compute on a device; nothing where it can


class OpenSandbox(Sandbox, Protocol):
    """A sandbox to be closed by a with statement."""

    def __enter__(self) -> Self:
        """Return the sandbox."""

    def __exit__(self, *exception: object) -> None:
        """Close it."""


class Watchable(Child, Protocol):
    """A child that can be killed from another thread and knows whether it is gone after it was ended."""

    gone: bool

    def kill(self) -> None:
        """Kill it, if it still runs."""


def nvidia_meter() -> tuple[Meter | None, str]:
    """Return what tells the memory that each process has on NVIDIA's GPUs, or None and why nothing does."""
    try:
        import pynvml
    except ImportError:
        return None, "is not installed"
    try:
        pynvml.nvmlInit()
        cards = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]
    except pynvml.NVMLError as error:
        return None, f"does not work here ({error})"

    def used() -> dict[int, int]:
        found: dict[int, int] = {}
        for card in cards:
            with contextlib.suppress(pynvml.NVMLError):
                for process in pynvml.nvmlDeviceGetComputeRunningProcesses(card):
                    found[process.pid] = found.get(process.pid, 0) + (process.usedGpuMemory or 0)
        return found

    return used, ""


def shared_mb(pid: int) -> int:
    """Return how much memory a process shares without a file, which no limit of the system's sees; 0 where that is not told."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("RssShmem:")), 0)


class GpuWatch:
    """The children that compute on a GPU now, each with what it may take of its memory. Used from several threads."""

    def __init__(self, meter: Meter | None = None) -> None:
        self.held_on: set[str] = set()  # devices on which a process stayed that was killed
        self.has_seen = False  # whether the meter ever told of a child: a container's may have other numbers
        self._meter = meter
        self._children: set[WatchedChild] = set()
        self._changed = threading.Condition()
        self._looking = False

    def around(self, child: Watchable, job: Job) -> Child:
        """Return a job's child as one that is watched; of a job for the CPU, the child itself."""
        return child if job.device == CPU else WatchedChild(child, job, self)

    def add(self, child: WatchedChild) -> None:
        """Watch a child from now on."""
        with self._changed:
            self._children.add(child)
            if not self._looking:
                self._looking = True
                threading.Thread(target=self._look, args=(self._meter or dict,), daemon=True).start()

    def remove(self, child: WatchedChild) -> None:
        """Watch a child no longer."""
        with self._changed:
            self._children.discard(child)
            self._changed.notify_all()

    def _look(self, meter: Meter) -> None:
        """Kill whichever child has more than it may, until there is none to look at."""
        while True:
            used = meter()
            with self._changed:
                for child in self._children:
                    child.see(used)
                self._changed.wait(LOOK_SECONDS)
                if not self._children:
                    self._looking = False
                    return


class WatchedChild:
    """A child on a GPU: killed and told MEMORY where it takes too much, and told of where it cannot be killed."""

    def __init__(self, child: Watchable, job: Job, watch: GpuWatch) -> None:
        self._child, self._device, self._most, self._watch = child, job.device, job.device_mb, watch
        self._shared_most = job.limits.memory_mb
        self._told = ""
        self.ends: Ends = child.ends
        self.clock: CpuClock = child.clock
        watch.add(self)

    def see(self, used: Mapping[int, int]) -> None:
        """Look at what it has, and kill it where that is too much."""
        taken = used.get(self.clock.pid or 0, 0) >> 20
        self._watch.has_seen = self._watch.has_seen or taken > 0
        shared = shared_mb(self.clock.pid or 0)
        if taken > self._most:
            self._told = TOOK_GPU_MEMORY.format(taken, self._most)
        elif shared > self._shared_most:
            self._told = TOOK_SHARED_MEMORY.format(shared, self._shared_most)
        if self._told:
            self._child.kill()

    def obituary(self) -> tuple[Ending, str]:
        """Say how it went."""
        if self._told:
            return Ending.MEMORY, self._told
        return self._child.obituary()

    def end(self) -> None:
        """End it, and remember where it does not."""
        self._watch.remove(self)
        self._child.end()
        if not self._child.gone:
            self._watch.held_on.add(self._device)


@dataclass
class GpuSandbox:
    """A sandbox that reaches GPUs, each as long as it answers.

    A run on one that ends otherwise than by returning is believed only if the device still computes afterwards. Where it
    does not, that run and all later ones on this device are faults of ours, which `lost` explains; others go on.
    """

    inner: OpenSandbox
    watch: GpuWatch
    trial: Trial
    risks: tuple[str, ...] = ()
    lost: dict[str, str] = field(default_factory=dict)  # why, by device

    @property
    def isolation(self) -> Isolation:
        """What the inner one holds, and what remains where a driver is within reach."""
        isolation = self.inner.isolation
        return replace(isolation, residual_risks=(*isolation.residual_risks, *self.risks))

    def run(self, job: Job) -> JobResult:
        """Run a job, where it is for the device only while there is one."""
        if job.device == CPU:
            return self.inner.run(job)
        if job.device not in self.lost:
            ran = self.inner.run(job)
            if all(outcome.ending is Ending.RETURNED for outcome in (ran.loading, *ran.outcomes)):
                return ran
            why = HELD_ON if job.device in self.watch.held_on else self.trial(job.device, self.inner)
            if not why or OUT_OF_MEMORY in why.lower():
                return ran
            self.lost.setdefault(job.device, why)
        text = GPU_LOST.format(job.device, self.lost[job.device])
        fault = Outcome(Ending.FAULT, trouble=Trouble("", text))
        return JobResult((fault,) * len(job.requests), Outcome(Ending.RETURNED))

    def close(self) -> None:
        """Close the inner one."""
        self.inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def lost_devices(sandbox: Sandbox) -> Mapping[str, str]:
    """Return the devices that a sandbox has lost so far, each with the reason."""
    return sandbox.lost if isinstance(sandbox, GpuSandbox) else {}


def watched_risks(watch: GpuWatch, why_unwatched: str) -> tuple[str, ...]:
    """Return what remains of risks where a GPU's driver is within reach, by whether its memory was seen in a trial."""
    why_unwatched = why_unwatched or ("" if watch.has_seen else BLIND)
    return (DRIVER, SHARED, UNWATCHED.format(why_unwatched) if why_unwatched else BRIEFLY)
