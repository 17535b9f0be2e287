"""Warm slots for a class: each is one zygote, which forks a locked-down child for every attempt.

A slot that fails, or whose scratch folder is not worth cleaning, is replaced by a fresh one. What was lost to that is
tried again by `run_job`, never charged to a student.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Self

from autograder.sandbox.attempt import Child
from autograder.sandbox.job import ClosedError, Isolation, Job, JobResult
from autograder.sandbox.retries import START_TRIES, run_job
from autograder.sandbox.slot import TRIED, Profile, Slot, SlotError, WarmChild


class WarmSandbox:
    """A pool of slots, each started when first needed. A context manager: closing it ends every slot."""

    def __init__(
        self,
        jobs: int,
        profile: Profile,
        isolation: Isolation,
        *,
        torch: bool = False,
        around: Callable[[WarmChild, Job], Child] = lambda child, _: child,
    ) -> None:
        self.isolation = isolation
        self._profile, self._torch, self._around = profile, torch, around
        self._closed = False
        self._lock = threading.Lock()
        self._started: weakref.WeakSet[Slot] = weakref.WeakSet()
        self._slots: queue.LifoQueue[Slot | None] = queue.LifoQueue()
        for _ in range(jobs):
            self._slots.put(None)

    def run(self, job: Job) -> JobResult:
        """Run a job in as many children, and if need be slots, as it takes."""
        seat = _Seat(self._slots.get(), self._fresh)
        try:
            return run_job(job, lambda: self._around(seat.launch(compiler=job.uses_compiler), job))
        finally:
            slot = None
            try:
                slot = seat.leave()
            finally:
                self._slots.put(slot)  # whatever happened, the next job finds a seat
                if self._closed:
                    self._end_idle()

    def _fresh(self) -> Slot:
        """Start a slot that holds what this sandbox says it holds."""
        if self._closed:
            raise ClosedError("the sandbox is closed")
        slot = Slot(self._profile, torch=self._torch, promised=TRIED.intersection(self.isolation.mechanisms))
        with self._lock:
            self._started.add(slot)
        if self._closed:  # meanwhile: `close` has not seen this one
            slot.close()
            raise ClosedError("the sandbox is closed")
        return slot

    def close(self) -> None:
        """End every slot; jobs that still run, wait or come later end with ClosedError."""
        self._closed = True
        with self._lock:
            started = tuple(self._started)
        for slot in started:
            slot.stop()  # its job notices and gives it back
        self._end_idle()

    def _end_idle(self) -> None:
        """End the idle slots. Their seats stay, so that a job that waits for one starts, finds the sandbox closed, and ends."""
        seats: list[Slot | None] = []
        with contextlib.suppress(queue.Empty):
            while True:
                seats.append(self._slots.get_nowait())
        for slot in seats:
            if slot:
                slot.close()
            self._slots.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Seat:
    """A job's place in a slot, with a fresh slot whenever the last one is spoiled."""

    def __init__(self, slot: Slot | None, fresh: Callable[[], Slot]) -> None:
        self._slot, self._fresh = slot, fresh
        self._child: WarmChild | None = None

    def launch(self, *, compiler: bool) -> WarmChild:
        """Fork a child, with torch's compiler imported where it is going to be used. Raises SlotError where fresh slots fail too."""
        self._slot = self.leave()
        for tries_left in reversed(range(START_TRIES)):
            try:
                self._slot = self._slot or self._fresh()
                self._child = WarmChild(self._slot, compiler=compiler)
            except (SlotError, OSError):
                self._child = None
                if self._slot:
                    self._slot.close()
                    self._slot = None
                if not tries_left:
                    raise
            else:
                return self._child
        raise SlotError("unreachable")

    def leave(self) -> Slot | None:
        """Return the slot if it can be used again, else close it."""
        if self._slot and self._child and not self._child.usable:
            self._slot.close()
            self._slot = None
        self._child = None
        return self._slot
