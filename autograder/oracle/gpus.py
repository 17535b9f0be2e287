"""Let trainings share GPUs, a thread for each; what a neighbour or a lost device did to one is no verdict on it.

Where one ran out of memory or time beside others, or its process died there, it runs once more, alone. What ran on a device
that is lost runs alone on another, so that code that breaks devices takes two of them at most, and no classmate with it.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from autograder.course.language import marked, say
from autograder.oracle.nvidia_smi import UNKNOWN, NvidiaSmi
from autograder.oracle.packing import Device, Load, Need, Run, most_on, next_start
from autograder.sandbox.endings import STOPPED
from autograder.sandbox.job import Ending, Outcome

LOOK_SECONDS = 0.5  # between two looks at a device's memory; what a training fills grows and does not shrink
MOST_GROWTH = 2  # times the first of a kind: so much memory is kept for each of it at most, however much one fills
MOST_LOSSES = 2  # devices that may be lost under one training
_DRIVER = re.compile(r"CUDA|CUBLAS|CUDNN|MPS|out of memory", re.IGNORECASE)


UNTRAINED = (
    "What is not trained yet stays ungraded. Run the same command again once it answers, or name another --device."
)


class NoDeviceError(Exception):
    """A training could not be made, by no fault of the student; the message says why."""


class Gauge(Protocol):
    """Tells how full a device is."""

    def used_mb(self, device: str) -> float | None:
        """Return how many MB of a device are used now, by anyone; None where that is not known."""


@dataclass(frozen=True)
class Place:
    """Where a training runs: a device, and among how many it may be divided, by which limits of time are multiplied."""

    device: str
    share: int


class Gpus:
    """The devices of a grading run, all of one kind. Safe to share between threads."""

    def __init__(
        self,
        devices: Sequence[Device],
        gauge: Gauge,
        at_once: int,
        say: Callable[[str], None] = lambda _: None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._load = Load(tuple(devices), each=-(-at_once // len(devices)))
        self._gauge, self._say, self._look_seconds = gauge, say, look_seconds
        self._numbers = itertools.count()
        self._placed: dict[int, tuple[Run, Device]] = {}
        self._first: dict[str, Need] = {}
        self._lost: dict[str, str] = {}
        self._turn = threading.Condition()

    def run(
        self,
        kind: str,
        seconds: float,
        attempt: Callable[[Place], Outcome],
        why_lost: Callable[[str], str],
    ) -> Outcome:
        """Make a training of a kind where there is room for it, and return what it came to.

        `attempt` makes it at a place; `why_lost` says why a device is lost, where the attempt found that it is.
        Raises NoDeviceError where no device is left, or devices are lost under it.
        """
        losses, alone = 0, False
        while True:
            run, device = self._enter(Run(next(self._numbers), kind, seconds, alone))
            need, lost = None, ""
            try:
                place = Place(device.name, 1 if run.alone else most_on(self._load, device))
                with self._watching(run, device) as used:
                    began = time.monotonic()
                    outcome = attempt(place)
                    pace = (time.monotonic() - began) / seconds
                lost = why_lost(device.name) if _by_chance(outcome) else ""
                if outcome.ending is Ending.RETURNED and used and (most := max(used) - min(used)) > 0:
                    need = Need(most, pace)
            finally:
                self._leave(run, device, need, lost)
            if not lost and (run.alone or not _by_chance(outcome)):
                return outcome
            losses += bool(lost)
            if losses >= MOST_LOSSES and run.alone:
                told = marked("{n} GPUs were lost while it was trained, {device} the last: {reason}")
                raise NoDeviceError(say(told, n=losses, device=device.name, reason=lost))
            alone = True

    @property
    def all_lost(self) -> str:
        """Why no device is left, or nothing where one is."""
        return "" if self._load.devices else _listed(self._lost)

    def _enter(self, run: Run) -> tuple[Run, Device]:
        """Wait until a training may start. Raises NoDeviceError where there is no device for it any more."""
        with self._turn:
            self._load = replace(self._load, waiting=(*self._load.waiting, run))
            self._start()
            while run.number not in self._placed:
                if self.all_lost:
                    raise NoDeviceError(say("every GPU is lost: {reasons}", reasons=self.all_lost))
                self._turn.wait()
            return self._placed.pop(run.number)

    def _leave(self, run: Run, device: Device, need: Need | None, lost: str) -> None:
        """Make room for others, with what is known now."""
        with self._turn:
            load = self._load
            here = tuple(other for other in load.on(device) if other.number != run.number)
            needs = load.needs
            if need:
                first = self._first.setdefault(run.kind, need)
                known = needs.get(run.kind, need)
                most = min(max(known.memory_mb, need.memory_mb), MOST_GROWTH * first.memory_mb)
                needs = {**needs, run.kind: Need(most, max(known.pace, need.pace))}
            self._load = replace(load, running={**load.running, device.name: here}, needs=needs)
            if lost and device.name not in self._lost:
                self._lost[device.name] = lost
                self._load = replace(self._load, devices=tuple(d for d in load.devices if d.name != device.name))
                self._say(_told(device.name, lost, self._load.devices))
            self._start()

    def _start(self) -> None:
        """Give every training that may start now its place."""
        while found := next_start(self._load):
            run, device = found
            load = self._load
            waiting = tuple(other for other in load.waiting if other.number != run.number)
            running = {**load.running, device.name: (*load.on(device), run)}
            self._load = replace(load, waiting=waiting, running=running)
            self._placed[run.number] = found
        self._turn.notify_all()

    @contextmanager
    def _watching(self, run: Run, device: Device) -> Iterator[list[float]]:
        """Note how full a device is while a training has it for itself; beside others nothing tells who fills it."""
        used: list[float] = []
        over = threading.Event()

        def look() -> None:
            now = self._gauge.used_mb(device.name)
            used.extend([] if now is None else [now])

        def follow() -> None:
            while not over.wait(self._look_seconds):
                look()

        if not run.alone or device.memory_mb is None:
            yield used
            return
        look()
        follower = threading.Thread(target=follow, name="gauge", daemon=True)
        follower.start()
        try:
            yield used
        finally:
            over.set()
            follower.join()
            look()


def open_gpus(names: Sequence[str], at_once: int, say: Callable[[str], None] = lambda _: None) -> Gpus:
    """Return devices as they are now, for so many trainings at once on all of them; say where one takes one at a time."""
    gauge = NvidiaSmi()
    found = {name: gauge.gpu(name) for name in names}
    devices = [Device(name, gpu.total_mb - gpu.used_mb if gpu else None) for name, gpu in found.items()]
    unknown = [device.name for device in devices if device.memory_mb is None]
    if unknown and at_once > 1:
        say(f"How full {', '.join(unknown)} is cannot be measured ({UNKNOWN}); trainings run one at a time.")
    return Gpus(devices, gauge, at_once, say)


def _by_chance(outcome: Outcome) -> bool:
    """Whether neighbours or a device may have been the end of a training, rather than its own code."""
    text = outcome.trouble.text if outcome.trouble else ""
    if outcome.ending in (Ending.RAISED, Ending.MEMORY):  # MEMORY without the driver's words is the computer's memory
        return _DRIVER.search(text) is not None
    return outcome.ending in (Ending.TIMEOUT, Ending.DIED, Ending.FAULT) and text != STOPPED


def _told(device: str, lost: str, left: Sequence[Device]) -> str:
    others = ", ".join(other.name for other in left)
    then = f"What ran there is trained again on {others}." if others else UNTRAINED
    return f"{device} is lost ({lost}). {then}"


def _listed(lost: dict[str, str]) -> str:
    return ", ".join(f"{device} ({why})" for device, why in lost.items())
