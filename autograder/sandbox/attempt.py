"""Watch one child from outside: read its events within their deadlines, keep its log, say how it ended.

Everything read here is hostile: sizes are bounded before memory is taken, and bytes that are not the next event end the
attempt.
"""

from __future__ import annotations

import itertools
import struct
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from autograder.sandbox.case_watch import Bound, CaseWatch
from autograder.sandbox.child.job_parts import write_part
from autograder.sandbox.child.program import MAX_NOTES
from autograder.sandbox.cpu_clock import CpuClock
from autograder.sandbox.endings import (
    NO_EVENT,
    NO_RESULT,
    NOT_STARTED,
    OTHER_RESULT,
    SILENT,
    STOPPED,
    WAITING,
)
from autograder.sandbox.events import (
    MALFORMED,
    encode_program,
    encode_requests,
    read_items,
    read_outcomes,
    read_progress,
    read_tree,
    read_trouble,
    timed,
)
from autograder.sandbox.job import Ending, Frame, Job, Outcome, Request, Trouble
from autograder.sandbox.pipes import Ends
from autograder.sandbox.time_limits import Budget, EndedError, Stretch

START_SECONDS = 60.0  # for a child to start, torch included, on a busy machine or a cold disk; longer is our fault, not the student's
LOOK_SECONDS = 0.01  # at least, between two looks at a child's CPU time
MAX_CURVE = 2_000  # points of a training's curve that are kept


Loading = tuple[Outcome, tuple[Trouble, ...]]  # what importing came to, and notebook cells left out


class Child(Protocol):
    """A started child: what connects us with it, and what can be asked of it."""

    @property
    def ends(self) -> Ends:
        """Our ends of its connections."""

    @property
    def clock(self) -> CpuClock:
        """Its CPU time."""

    def obituary(self) -> tuple[Ending, str]:
        """Wait for the child to be gone and say how it went: DIED or FAULT, and an exit code or signal in words."""

    def end(self) -> None:
        """Kill the child if it still runs and release everything it held."""


class Attempt:
    """One child at work on some of a job's requests."""

    def __init__(self, child: Child, job: Job, requests: list[Request], pending: Sequence[int], budget: Budget) -> None:
        """`requests` are all of the job's so far; what its `more` adds is added to them."""
        self.limits = job.limits
        self._budget = budget
        self._child = child
        self._job = job
        self._requests = requests
        self._order = sorted(pending, key=lambda index: requests[index].phase)
        self._buffer = bytearray()
        self._curve: list[tuple[int, float]] = []
        self._ends = child.ends
        self._ends.log_limit = job.limits.log_kb << 10

    def end(self) -> None:
        """End the child, whatever it is doing, and close what is ours."""
        self._budget.delayed += self._child.clock.delayed()
        self._child.end()

    def load(self) -> Loading:
        """Wait until the submission is imported, and say what that came to."""
        self._release([encode_program(self._job, [len(encode_requests(phase)) for phase in self._phases()])])
        try:
            until = time.monotonic() + START_SECONDS
            self._event("ready", Stretch(CpuClock(None), START_SECONDS, until, START_SECONDS))
        except EndedError as end:
            said = self._ends.said()
            why = last_line(said) or str(end) or SILENT.format(f"{START_SECONDS:g}")
            return Outcome(Ending.FAULT, trouble=Trouble("", NOT_STARTED.format(why)), printed=said), ()
        loading = self._budget.stretch(self._child.clock, self.limits.import_seconds)
        try:
            event = self._event("loaded", loading)
            notes = tuple(map(read_trouble, read_items(event["notes"], MAX_NOTES)))
            trouble = None if event["trouble"] is None else read_trouble(event["trouble"])
        except MALFORMED as error:
            return self._failure(error), ()
        ending = Ending.RAISED if trouble else Ending.RETURNED
        return Outcome(ending, trouble=trouble, seconds=loading.used, printed=self._ends.said()), notes

    def answer_into(self, outcomes: dict[int, Outcome]) -> int | None:
        """Collect an outcome for each request, phase by phase; return the one the child failed at, if it did."""
        done = 0
        for number, phase in enumerate(self._phases()):
            self._release(encode_requests(phase))
            broken = self._answer_phase(done, done + len(phase), outcomes, talks=number == 0)
            if broken is not None:
                return broken
            done += len(phase)
        while added := self._more(outcomes):
            parts = encode_requests(added)
            self._release([write_part(len(parts)), *parts])
            broken = self._answer_phase(done, done + len(added), outcomes, talks=False)
            if broken is not None:
                return broken
            done += len(added)
        return None

    def _more(self, outcomes: dict[int, Outcome]) -> tuple[Request, ...]:
        """Return what the job has to ask now that all else is answered."""
        if self._job.more is None:
            return ()
        before = len(self._requests)
        with self._budget.pause():
            added = self._job.more(tuple(outcomes[i] for i in range(before)))
        self._requests += added
        self._order += range(before, len(self._requests))
        return added

    def _answer_phase(self, done: int, end: int, outcomes: dict[int, Outcome], *, talks: bool) -> int | None:
        """Collect the outcomes of one phase, whose places in the order these are; where it `talks`, the child waits for us."""
        start, case = done, CaseWatch(self, done, end)
        while done < end:
            try:
                news = self._next(case)
                if news["event"] == "progress":
                    self._hear(news)
                    continue
                data = self._message(case)
                with self._budget.work():
                    told = read_outcomes(news, data, end - done)
                if self._case_of(done + len(told) - 1, start) > case.begun:
                    raise ValueError("answers to a case that has not begun")
                answers = timed(told, case.used)
                printed, curve = self._ends.said(), tuple(self._curve)
                if printed or curve:
                    answers[-1] = answers[-1].told(printed=printed, curve=curve)
            except MALFORMED as error:
                # What it was doing, it marked; what it had sent, it may have sent in any case of the batch.
                broken = self._order[case.begun if getattr(error, "doing", False) else done]
                outcomes[broken] = replace(self._failure(error), seconds=case.used)
                return broken
            outcomes.update(zip(self._order[done:], answers, strict=False))
            done += len(answers)
            self._budget.earn(len(answers))
            if talks:
                self._ends.say_go()  # what it prints from here on belongs to the next cases
            if done < end and self._case_of(done, start) < done:
                case.go_on(done)
            else:
                case = CaseWatch(self, done, end)
        return None

    def _case_of(self, place: int, start: int) -> int:
        """Return the place of the request that a request's case begins with, in the phase that begins at `start`."""
        group = self._requests[self._order[place]].group
        while place > start and self._requests[self._order[place - 1]].group == group:
            place -= 1
        return place

    def marked(self) -> int:
        """Return the place of the request that the child says it began last."""
        return self._ends.begun()

    def stretch(self, cases: int) -> Stretch:
        """Return what bounds so many cases that begin now."""
        return self._budget.stretch(self._child.clock, cases * self.limits.case_seconds)

    def _phases(self) -> list[tuple[Request, ...]]:
        requests = (self._requests[index] for index in self._order)
        return [tuple(group) for _, group in itertools.groupby(requests, key=lambda request: request.phase)]

    def _release(self, parts: Sequence[bytes]) -> None:
        """Append parts to the job and say that they are there."""
        for part in parts:
            self._ends.give(struct.pack("<Q", len(part)) + part)
        self._ends.say_go()

    def _failure(self, error: Exception) -> Outcome:
        if isinstance(error, EndedError):
            ending, text = error.ending, str(error)
        else:
            ending, text = Ending.DIED, NO_RESULT
        frames = self._stays() if ending is Ending.TIMEOUT else ()
        return Outcome(ending, trouble=Trouble("", text, frames), printed=self._ends.said(), curve=tuple(self._curve))

    def _stays(self) -> tuple[Frame, ...]:
        """Return the line of the student's code in which a call stays, as far as the child says."""
        number, line = self._ends.stays()
        chunks = self._job.source.chunks
        return (Frame(chunks[number - 1].label, line, ""),) if 0 < number <= len(chunks) else ()

    def _hear(self, news: dict[str, Any]) -> None:
        """Keep what a training run tells of its progress, up to a bound, and pass it on; end it if that is asked for."""
        step, loss = read_progress(news)
        if len(self._curve) < MAX_CURVE:
            self._curve.append((step, loss))
            if self._job.watch is not None and self._job.watch(step, loss):
                raise EndedError(Ending.TIMEOUT, STOPPED)

    def _event(self, name: str, stretch: Stretch) -> dict[str, Any]:
        """Return the next event, which has to be of one kind."""
        news = self._next(stretch)
        if news.get("event") != name:
            raise EndedError(Ending.DIED, OTHER_RESULT)
        return news

    def _next(self, stretch: Bound) -> dict[str, Any]:
        """Return the next event. Raises EndedError where none comes."""
        data = self._message(stretch)
        with self._budget.work():
            event = read_tree(data)
        if not isinstance(event, dict):
            raise EndedError(Ending.DIED, NO_EVENT)
        return event

    def _message(self, stretch: Bound) -> bytes:
        """Return the bytes of the next message. Raises EndedError where none comes."""
        size = struct.unpack("<Q", self._read(8, stretch))[0]
        self._budget.receive(size)
        return self._read(size, stretch)

    def _read(self, size: int, stretch: Bound) -> bytes:
        while len(self._buffer) < size:
            with self._budget.work():
                self._buffer += self._receive(stretch)
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _receive(self, stretch: Bound) -> bytes:
        """Return what came, if anything did before it was time to look at the clock. Raises EndedError at the end."""
        if stretch.over:
            raise EndedError(Ending.TIMEOUT, "", doing=True)
        data = self._ends.receive(max(LOOK_SECONDS, stretch.left))
        if data is None:  # else it may have been asleep because it was waiting for us
            if stretch.waits:
                raise EndedError(Ending.TIMEOUT, WAITING, doing=True)
            return b""
        if not data:
            raise EndedError(*self._child.obituary(), doing=True)
        return data


def last_line(log: str) -> str:
    """Return the last line of what a child printed, where errors stand."""
    return log.strip().rpartition("\n")[2]
