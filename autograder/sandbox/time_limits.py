"""What a submission may use over all its attempts: seconds in a slot, bytes of answers, and our own work on them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from autograder.course.spec import Limits
from autograder.sandbox.cpu_clock import CpuClock
from autograder.sandbox.endings import LARGE_ANSWER, MANY_ANSWERS, NO_TIME_LEFT, OVERWORKED
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Request, Sandbox, Trouble
from autograder.sandbox.own_time import own_seconds

WALL = 4  # times a limit of CPU time, for code that waits and for machines that are busy with other work
TOTAL_OUTPUTS = 4  # times the size of one answer, for all of them
SLACK = 1 << 16  # bytes a frame holds beside the answer itself
MOST_WORK = 0.5  # CPU seconds of this process for reading what one job sends, beside what its answers earn
EACH_WORK = 0.001  # that each answer earns; honest ones take .1 to .4 ms, and more on a slow or busy machine
ALL_WORK = 4 * MOST_WORK  # for all jobs of a submission, making them ready included, beside what their answers earn
SECOND_REST = 0.5  # of a limit, for which a child may be asleep once one before it was so for too long


class EndedError(Exception):
    """An attempt came to its end before its work was done; carries how, and whether for what the child was doing at that time."""

    def __init__(self, ending: Ending, text: str, *, doing: bool = False) -> None:
        super().__init__(text)
        self.ending, self.doing = ending, doing


class Stretch:
    """Some of a child's work, which has to end by a limit of its CPU time, or of WALL times as much on the wall.

    CPU time does not depend on other work on the machine. What neither computes nor waits for a processor is asleep, and
    may be so for `rest` seconds. Where the system does not tell CPU times, the wall clock alone decides.
    """

    def __init__(self, clock: CpuClock, seconds: float, until: float, rest: float) -> None:
        self._clock, self._seconds, self._until, self._rest = clock, seconds, until, rest
        self._began, self._before = time.monotonic(), clock.seconds()

    @property
    def used(self) -> float:
        """Seconds that it took so far: of CPU time, where that is known."""
        now = self._clock.seconds()
        return time.monotonic() - self._began if now is None or self._before is None else now - self._before

    @property
    def over(self) -> bool:
        """Whether it has computed for too long, or taken far too long on the wall."""
        return self._awake() <= 0.0

    @property
    def waits(self) -> bool:
        """Whether it has been asleep for too long."""
        return self._asleep() >= self._rest

    @property
    def left(self) -> float:
        """Seconds before which it is neither over nor has waited for too long; none where it is or has."""
        return max(min(self._awake(), self._rest - self._asleep()), 0.0)

    def _awake(self) -> float:
        left = self._until - time.monotonic()
        if self._before is not None and (now := self._clock.seconds()) is not None:
            left = min(left, self._before + self._seconds - now)
        return left

    def _asleep(self) -> float:
        """Return how long it neither computed nor waited for a processor, at least; nothing where that is not known."""
        passed, now = time.monotonic() - self._began, self._clock.seconds()
        if passed < self._rest or self._before is None or now is None:
            return 0.0
        return passed - (now - self._before) - self._clock.delayed()  # of earlier delays, too: in doubt for the student


class Budget:
    """Counts down while a job runs; shared by its attempts, so that starting again buys nothing.

    The clock starts when the first child is about to import the submission. The limit for all together is one of the wall
    clock, far wider than what honest code takes, since a slot is taken from the others for so long. Our work is the CPU
    time of the calling thread.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = (limits.output_mb << 20) * TOTAL_OUTPUTS
        self.delayed = 0.0  # seconds in which children so far were ready to run and others had the processors
        self.rest = 1.0  # of a limit, for which a child may be asleep
        self._started: float | None = None
        self._worked = 0.0

    @property
    def seconds(self) -> float:
        """How long it took so far, on the wall."""
        return 0.0 if self._started is None else time.monotonic() - self._started

    @property
    def spent(self) -> str:
        """Say what is used up, if anything is."""
        if self._bytes < 0:
            return MANY_ANSWERS.format(self._limits.output_mb * TOTAL_OUTPUTS)
        if self._worked > MOST_WORK:
            return OVERWORKED
        return NO_TIME_LEFT if self.seconds >= self._whole else ""

    @property
    def _whole(self) -> float:
        return self._limits.import_seconds + self._limits.total_seconds

    def stretch(self, clock: CpuClock, seconds: float) -> Stretch:
        """Return what bounds something that begins now; the first call starts the clock for all."""
        now = time.monotonic()
        self._started = self._started or now
        return Stretch(clock, seconds, min(now + WALL * seconds, self._started + self._whole), self.rest * seconds)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Do not count what passes meanwhile: the child waits for us."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._started = None if self._started is None else self._started + time.monotonic() - began

    @contextmanager
    def work(self) -> Iterator[None]:
        """Count our own time for reading a piece of what the child sends. Raises EndedError where it was too much."""
        began = own_seconds()
        try:
            yield
        finally:
            self._worked += own_seconds() - began
        if self._worked > MOST_WORK:
            raise EndedError(Ending.OUTPUT, OVERWORKED)

    def earn(self, answers: int) -> None:
        """Allow work for answers that came: who is asked a thousand questions may have a thousand answers read."""
        self._worked = max(0.0, self._worked - EACH_WORK * answers)

    def receive(self, size: int) -> None:
        """Count an answer's bytes. Raises EndedError where they are too many."""
        self._bytes -= size
        if size > (self._limits.output_mb << 20) + SLACK:
            raise EndedError(Ending.OUTPUT, LARGE_ANSWER.format(self._limits.output_mb))
        if self._bytes < 0:
            raise EndedError(Ending.OUTPUT, self.spent)


class Rationed:
    """A sandbox for one submission, all of whose jobs share one limit of time and of our work.

    The time is that of a slot, on the wall; or if `patient`, without what others had the processors for.
    """

    def __init__(self, sandbox: Sandbox, seconds: float, *, patient: bool = False) -> None:
        self._sandbox, self._left, self._work, self._patient = sandbox, seconds, ALL_WORK, patient

    @property
    def isolation(self) -> Isolation:
        """What the sandbox holds."""
        return self._sandbox.isolation

    def run(self, job: Job) -> JobResult:
        """Run a job with what the ones before it have left, or not at all."""
        total = min(job.limits.total_seconds, self._left - job.limits.import_seconds)
        if total <= 0 or self._work <= 0:
            unmade = Outcome(Ending.NOT_RUN, trouble=Trouble("", NO_TIME_LEFT))
            return JobResult((unmade,) * len(job.requests), Outcome(Ending.RETURNED))
        ours = 0.0

        def more(outcomes: tuple[Outcome, ...]) -> tuple[Request, ...]:
            nonlocal ours
            began = own_seconds()
            found = job.more(outcomes) if job.more else ()
            ours += own_seconds() - began
            return found

        worked = own_seconds()
        limits = replace(job.limits, total_seconds=total)
        ran = self._sandbox.run(replace(job, limits=limits, more=more if job.more else None))
        self._left -= ran.seconds - (ran.delayed if self._patient else 0.0)
        self._work -= max(0.0, own_seconds() - worked - ours - EACH_WORK * len(ran.outcomes))
        return ran

    def close(self) -> None:
        """End everything in the sandbox."""
        self._sandbox.close()
