"""Watch one child from outside: read its events within their deadlines, keep its log, say how it ended.

Everything read here is hostile: sizes are bounded before memory is taken, and bytes that are not the next event end the
attempt.
"""

from __future__ import annotations

import functools
import itertools
import struct
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from autograder.sandbox.child.program import MAX_NOTES
from autograder.sandbox.child.wire import WireError, decode
from autograder.sandbox.child.worker import MARK
from autograder.sandbox.cpu_clock import CpuClock
from autograder.sandbox.events import (
    MALFORMED,
    encode_program,
    encode_requests,
    read_items,
    read_mark,
    read_outcome,
    read_progress,
    read_trouble,
    timed,
)
from autograder.sandbox.job import Ending, Job, JobResult, Outcome, Request, Trouble
from autograder.sandbox.memory import OUT_OF_MEMORY, fitting
from autograder.sandbox.pipes import Ends
from autograder.sandbox.time_limits import SECOND_REST, STOPPED, WAITING, Budget, EndedError, Stretch

MAX_STRIKES = 2
START_SECONDS = 60.0  # for a child to start, torch included, on a busy machine or a cold disk; longer is our fault, not the student's
START_TRIES = 3
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


def run_job(job: Job, launch: Callable[[], Child]) -> JobResult:
    """Run a job in as many children as it takes.

    When a child hangs, dies or sends what is not data, the case it was in gets that ending and a fresh child does the
    rest, so one bad exercise costs itself and no other. After MAX_STRIKES such endings in one exercise its remaining
    requests are not run: three thousand submissions with an endless loop in each must still end.
    """
    outcomes: dict[int, Outcome] = {}
    strikes: Counter[str] = Counter()
    again: set[str] = set()
    loading: Loading | None = None
    ours = functools.cache(lambda: _own_fault(job, launch))
    tries = START_TRIES
    job = replace(job, limits=fitting(job.limits))
    budget = Budget(job.limits)
    while pending := [i for i in range(len(job.requests)) if i not in outcomes]:
        if budget.spent:
            outcomes |= dict.fromkeys(pending, Outcome(Ending.NOT_RUN, trouble=Trouble("", budget.spent)))
            break
        loaded, broken = _attempt(job, pending, outcomes, launch, budget)
        ended = loaded[0] if broken is None else outcomes[broken]
        if ended.ending is Ending.DIED and ours():
            ended = Outcome(Ending.FAULT, trouble=Trouble("", ours()), printed=ended.printed)
            if broken is None:
                loaded = ended, ()
            else:
                outcomes[broken] = ended
        if (ended.ending is Ending.FAULT or _starved(ended)) and tries > 1:
            tries -= 1
            if broken is not None:
                del outcomes[broken]
            continue
        if loading and loaded[0].ending is not Ending.RETURNED and budget.spent:
            continue  # it was imported before; this time only the end of the whole came in between
        loading = loading or loaded
        if loaded[0].ending is not Ending.RETURNED:
            outcomes |= dict.fromkeys(pending, loaded[0])
        elif broken is not None and _waited(outcomes[broken]) and job.requests[broken].group not in again:
            again.add(job.requests[broken].group)  # the whole machine may have stood still
            budget.rest = SECOND_REST
            del outcomes[broken]
        elif broken is not None:
            _strike(job, broken, outcomes, strikes)
    loading = loading or (Outcome(Ending.RETURNED), ())
    return JobResult(tuple(outcomes[i] for i in range(len(job.requests))), *loading, budget.seconds, budget.delayed)


def _attempt(
    job: Job, pending: list[int], outcomes: dict[int, Outcome], launch: Callable[[], Child], budget: Budget
) -> tuple[Loading, int | None]:
    """Run what is pending in one child; return how loading went and the request that broke the child, if one did."""
    attempt = Attempt(launch(), job, pending, budget)
    try:
        loaded = attempt.load()
        broken = attempt.answer_into(outcomes) if loaded[0].ending is Ending.RETURNED else None
    finally:
        attempt.end()
    return loaded, broken


def _own_fault(job: Job, launch: Callable[[], Child]) -> str:
    """Say what ends a child that makes a job's calls on an empty submission: the grader itself does; nothing if nothing."""
    outcomes: dict[int, Outcome] = {}
    empty = replace(job, source=replace(job.source, chunks=()), watch=None)
    loaded, broken = _attempt(empty, list(range(len(job.requests))), outcomes, launch, Budget(job.limits))
    ended = loaded[0] if broken is None else outcomes[broken]
    if ended.ending is Ending.RETURNED:
        return ""
    why = _last_line(ended.printed) or (ended.trouble and ended.trouble.text) or str(ended.ending)
    return f"an empty file comes to the same: {why}"


def _last_line(log: str) -> str:
    return log.strip().rpartition("\n")[2]


def _strike(job: Job, broken: int, outcomes: dict[int, Outcome], strikes: Counter[str]) -> None:
    """Give up the rest of the case that broke a child, and of its exercise if it did so too often.

    What waited has been tried twice.
    """
    request, trouble = job.requests[broken], outcomes[broken].trouble
    strikes[request.family] += MAX_STRIKES if _waited(outcomes[broken]) else 1
    given_up = strikes[request.family] >= MAX_STRIKES
    for i, other in enumerate(job.requests):
        same = other.group == request.group or (given_up and other.family == request.family)
        if i not in outcomes and same:
            outcomes[i] = Outcome(Ending.NOT_RUN, trouble=trouble)


def _starved(outcome: Outcome) -> bool:
    """Whether the kernel ended it because memory ran out, which another submission may have taken."""
    return outcome.ending is Ending.MEMORY and outcome.trouble is not None and outcome.trouble.text == OUT_OF_MEMORY


def _waited(outcome: Outcome) -> bool:
    """Whether a request was ended because it was asleep."""
    return outcome.ending is Ending.TIMEOUT and outcome.trouble is not None and outcome.trouble.text == WAITING


class Attempt:
    """One child at work on some of a job's requests."""

    def __init__(self, child: Child, job: Job, pending: Sequence[int], budget: Budget) -> None:
        self.limits = job.limits
        self._budget = budget
        self._child = child
        self._job = job
        self._order = sorted(pending, key=lambda index: job.requests[index].phase)
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
            why = _last_line(said) or str(end) or f"nothing came of it in {START_SECONDS:g} s"
            return Outcome(Ending.FAULT, trouble=Trouble("", f"its process did not start: {why}"), printed=said), ()
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
            end = done + len(phase)
            begun, case = done - 1, self._stretch(1)
            batch = self._stretch(2)  # by when, marks or no marks, outcomes have to come
            while done < end:
                try:
                    news = self._next(case, batch)
                    if isinstance(news, int):
                        begun = read_mark(begun, news, end)
                        case = self._stretch(1)
                        continue
                    if news["event"] == "progress":
                        self._hear(news)
                        continue
                    told = [read_outcome(entry) for entry in read_items(news["outcomes"], end - done)]
                    answers = list(timed(told, batch.used))
                    answers[-1] = replace(answers[-1], printed=self._ends.said(), curve=tuple(self._curve))
                except MALFORMED as error:
                    broken = self._order[max(begun, done)]
                    outcomes[broken] = self._failure(error)
                    return broken
                outcomes.update(zip(self._order[done:], answers, strict=False))
                done += len(answers)
                if number == 0:
                    self._ends.say_go()  # what it prints from here on belongs to the next cases
                batch = self._stretch(2)
        return None

    def _stretch(self, cases: int) -> Stretch:
        return self._budget.stretch(self._child.clock, cases * self.limits.case_seconds)

    def _phases(self) -> list[tuple[Request, ...]]:
        requests = (self._job.requests[index] for index in self._order)
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
            ending, text = Ending.DIED, "it wrote something that is not a result to the result channel"
        return Outcome(ending, trouble=Trouble("", text), printed=self._ends.said(), curve=tuple(self._curve))

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
        if isinstance(news, int) or news.get("event") != name:
            raise EndedError(Ending.DIED, "it sent something other than the next result")
        return news

    def _next(self, *stretches: Stretch) -> int | dict[str, Any]:
        """Return the next mark or event. Raises EndedError where none comes."""
        size = struct.unpack("<Q", self._read(8, stretches))[0]
        if size & MARK:
            return int(size ^ MARK)
        self._budget.receive(size)
        data = self._read(size, stretches)
        try:
            with self._budget.work():
                event = decode(data)
        except WireError as error:
            raise EndedError(Ending.DIED, f"it sent bytes that are not data ({error})") from None
        if not isinstance(event, dict):
            raise EndedError(Ending.DIED, "it sent something other than a result")
        return event

    def _read(self, size: int, stretches: Sequence[Stretch]) -> bytes:
        while len(self._buffer) < size:
            with self._budget.work():
                self._buffer += self._receive(stretches)
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _receive(self, stretches: Sequence[Stretch]) -> bytes:
        """Return what came, if anything did before it was time to look at the clock. Raises EndedError at the end."""
        if any(stretch.over for stretch in stretches):
            raise EndedError(Ending.TIMEOUT, "")
        data = self._ends.receive(max(LOOK_SECONDS, min(stretch.left for stretch in stretches)))
        if data is None:  # else it may have been asleep because it was waiting for us
            if any(stretch.waits for stretch in stretches):
                raise EndedError(Ending.TIMEOUT, WAITING)
            return b""
        if not data:
            raise EndedError(*self._child.obituary())
        return data
