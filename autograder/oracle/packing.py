"""Decide which waiting training starts next, and on which device: as many as fit by measured memory, the longest first.

A training of a kind that was never measured runs alone on its device. There is one queue for all devices, since queues of
their own would leave one device idle while trainings wait for another. The longest training that fits nowhere keeps the
device that is nearest to being free: nothing that is shorter starts there before it. So none waits for ever, as every
training ends.

Nothing here measures, waits or starts anything; `gpus` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

RESERVE = 0.1  # of a device's memory that stays free, for what grows while it runs
SPARE = 1.2  # times what was measured: no two programs fill the same


@dataclass(frozen=True)
class Device:
    """A device with the MB that trainings may fill together; None where nothing tells how much they fill."""

    name: str
    memory_mb: float | None


@dataclass(frozen=True)
class Run:
    """A training that waits or runs. `seconds` were declared; `alone` asks for a device without any other."""

    number: int
    kind: str
    seconds: float
    alone: bool = False


@dataclass(frozen=True)
class Need:
    """What the trainings of a kind were measured to take, the most of them: memory, and time as a share of the declared one."""

    memory_mb: float
    pace: float


@dataclass(frozen=True)
class Load:
    """What runs and what waits. `each` is how many may run on one device, whatever fits."""

    devices: tuple[Device, ...]
    each: int
    needs: Mapping[str, Need] = field(default_factory=dict)
    running: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)  # by device
    waiting: tuple[Run, ...] = ()

    def on(self, device: Device) -> tuple[Run, ...]:
        """Return what runs on a device."""
        return self.running.get(device.name, ())


def next_start(load: Load) -> tuple[Run, Device] | None:
    """Return which training starts now and where, or None where each has to wait for another's end.

    One that has its device for itself comes back with `alone`.
    """
    free = set(load.devices)
    for first in sorted(load.waiting, key=lambda run: (-_seconds(load, run), run.number)):
        run = replace(first, alone=first.alone or first.kind not in load.needs)
        able = [device for device in load.devices if device in free and _fits(load, run, device)]
        if able:
            return run, max(able, key=lambda device: (_room(load, device), -len(load.on(device))))
        if not free:
            return None
        free.remove(min(free, key=lambda device: (len(load.on(device)), load.devices.index(device))))
    return None


def most_on(load: Load, device: Device) -> int:
    """Return how many trainings may share a device at most, by the smallest need that is known."""
    if device.memory_mb is None or not load.needs:
        return 1
    least = min(need.memory_mb for need in load.needs.values()) * SPARE
    return max(1, min(load.each, int(device.memory_mb * (1 - RESERVE) / least)))


def _seconds(load: Load, run: Run) -> float:
    """Return how long a training takes, as measured where its kind was, else as declared."""
    need = load.needs.get(run.kind)
    return run.seconds * need.pace if need else run.seconds


def _fits(load: Load, run: Run, device: Device) -> bool:
    here = load.on(device)
    if not here:
        return True
    if run.alone or any(other.alone for other in here) or len(here) >= load.each:
        return False
    return load.needs[run.kind].memory_mb * SPARE <= _room(load, device)


def _room(load: Load, device: Device) -> float:
    """Return how many MB of a device are promised to none that runs."""
    if device.memory_mb is None:
        return 0.0
    promised = sum(load.needs[run.kind].memory_mb * SPARE for run in load.on(device) if run.kind in load.needs)
    return device.memory_mb * (1 - RESERVE) - promised
