"""Measure what packing brings: the same trainings one after another and side by side, in one run.

First on injected devices, whose memory and speed are numbers: a training fills some memory, and for a part of its time, its
duty, it keeps the whole device busy, as one that waits for Python between kernels does. So no more than 1 / duty can be
gained on a device, and none of it is more than memory lets run. Real threads go through the scheduler and wait.

Then with real trainings of an assignment on the CPU, in sandboxes: a device for two trainings at a time, whose memory is
measured as a GPU's is, by what all processes together hold. Every verdict has to be full marks.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course.catalog import load_assignment
from autograder.course.spec import Status
from autograder.oracle.gpus import Gpus, Place
from autograder.oracle.oracle import Oracle
from autograder.oracle.packing import Device
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Chunk, Ending, Outcome, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

ROOT = Path(__file__).resolve().parents[1]
SEED, LOOK_SECONDS = 0, 0.01
REAL, ROUNDS = 8, 5  # trainings on the CPU each time, in turns, so that other work on the machine falls on both
SLICE = 0.02  # seconds of a device at a time; much shorter sleeps take longer than is asked for


@dataclass
class Card:
    """A device that does one thing at a time, for as long as is told, and whose memory is a number."""

    memory_mb: float
    used_mb: float = 0.0
    most_mb: float = 0.0
    at_work: threading.Lock = field(default_factory=threading.Lock)
    books: threading.Lock = field(default_factory=threading.Lock)

    def fill(self, memory_mb: float) -> None:
        """Take or give back memory."""
        with self.books:
            self.used_mb += memory_mb
            self.most_mb = max(self.most_mb, self.used_mb)


class Cards:
    """Injected devices, and how full they are."""

    def __init__(self, count: int, memory_mb: float) -> None:
        self.cards = {f"cuda:{number}": Card(memory_mb) for number in range(count)}

    def used_mb(self, device: str) -> float:
        """Return how full one is."""
        return self.cards[device].used_mb

    def open(self, at_once: int) -> Gpus:
        """Return what shares them, so many at a time."""
        devices = [Device(name, card.memory_mb) for name, card in self.cards.items()]
        return Gpus(devices, self, at_once, look_seconds=LOOK_SECONDS)

    def train(self, place: Place, memory_mb: float, seconds: float, duty: float) -> Outcome:
        """Take a training's memory and time: in slices, a share of each on the device and the rest beside it."""
        card = self.cards[place.device]
        card.fill(memory_mb)
        for _ in range(round(seconds * duty / SLICE)):
            with card.at_work:
                time.sleep(SLICE)
            time.sleep(SLICE * (1 / duty - 1))
        card.fill(-memory_mb)
        return Outcome(Ending.RETURNED)


def all_at_once(works: Sequence[Callable[[], object]]) -> float:
    """Do some work, a thread for each, and return how many seconds all of it took."""
    threads = [threading.Thread(target=work) for work in works]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began


def injected(devices: int, at_once: int, count: int, duty: float, seconds: float) -> tuple[float, float]:
    """Return how many seconds a class takes and how full a device was at most; a training in four takes twice as long."""
    cards = Cards(devices, 80_000)
    gpus = cards.open(at_once)

    def one(long: bool) -> None:
        lasts = seconds * (2 if long else 1)

        def attempt(place: Place) -> Outcome:
            return cards.train(place, 2_000, lasts, duty)

        gpus.run("long" if long else "short", lasts, attempt, lambda _: "")

    took = all_at_once([functools.partial(one, number % 4 == 3) for number in range(count)])
    return took, max(card.most_mb for card in cards.cards.values()) / 80_000


class Here:
    """This machine as a device: all that the processes of this one hold of its memory, in MB."""

    def used_mb(self, device: str) -> float:  # noqa: ARG002 (there is one)
        """Add up what every process below this one holds for itself."""
        return sum(held_mb(pid) for pid in below(os.getpid()))


def below(pid: int) -> Iterator[int]:
    """Yield the processes that one started, directly or not."""
    with contextlib.suppress(OSError):  # it is gone
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                yield child
                yield from below(child)


def held_mb(pid: int) -> float:
    """Return how much memory a process shares with no other."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(float(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
    return 0.0


def available_mb() -> float:
    """Return how much memory this machine has to give."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) / 1024


def real(slug: str, count: int, at_once: int, sandbox: Sandbox) -> float:
    """Return how many seconds so many trainings of the reference take, after one that was measured, so many at a time."""
    assignment = load_assignment(ROOT, slug)
    gpus = Gpus([Device("cpu", available_mb())], Here(), at_once, look_seconds=0.1)
    trainer, training = Trainer(Oracle(assignment, SEED)), assignment.trainings[0]

    def one() -> None:
        source = Source(Path(assignment.file).stem, (Chunk(assignment.file, assignment.reference),))

        def attempt(_: Place) -> Outcome:
            status = trainer.train(training, source, sandbox).status
            if status is not Status.PASSED:
                raise SystemExit(f"{slug}: the reference came to {status}")
            return Outcome(Ending.RETURNED)

        gpus.run(training.exercise, training.seconds, attempt, lambda _: "")

    trainer.reference_curve(training, sandbox)
    one()
    return all_at_once([one] * count)


def main() -> int:
    """Measure both, each packed and one after another in the same run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slug", nargs="?", default="a2_bptt", help="whose training runs on the CPU")
    parser.add_argument("--count", type=int, default=96, help="trainings on injected devices")
    parser.add_argument("--seconds", type=float, default=0.4, help="of a training on an injected device")
    chosen = parser.parse_args()
    print(f"{chosen.count} trainings, {cores()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    print("| injected devices | a training keeps one busy | at once | times as fast | of what is possible | fullest |")
    print("|---|---|---|---|---|---|")
    for duty, counts in ((0.1, (1, 2)), (0.25, (1,))):
        alone = [injected(1, 1, chosen.count, duty, chosen.seconds)[0]]
        rows = [
            (devices, at_once, *injected(devices, at_once, chosen.count, duty, chosen.seconds))
            for devices in counts
            for at_once in (2, 8, 32)
        ]
        alone.append(
            injected(1, 1, chosen.count, duty, chosen.seconds)[0]
        )  # before and after, as the machine is shared
        for devices, at_once, took, full in rows:
            times = statistics.mean(alone) / took
            share = times / min(at_once, devices / duty)
            print(f"| {devices} | {duty:.0%} | {at_once} | {times:.1f} | {share:.0%} | {full:.0%} |", flush=True)
    assignment = load_assignment(ROOT, chosen.slug)
    with open_sandbox(2, torch=assignment.torch, secret=ROOT / "solutions") as sandbox:
        pairs = [[real(chosen.slug, REAL, at_once, sandbox) for at_once in (1, 2)] for _ in range(ROUNDS)]
    ratio = statistics.median(one / two for one, two in pairs)
    one, two = (statistics.median(times) for times in zip(*pairs, strict=True))
    rounds = f"{ratio:.2f} times as fast (medians of {ROUNDS} rounds)"
    print(
        f"\n{chosen.slug} on the CPU: {REAL} trainings take {one:.1f} s one by one, {two:.1f} s two at a time; {rounds}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
