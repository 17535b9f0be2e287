"""By when a child has to answer: the time of the case that it says it is in, and of the outcomes that it owes."""

from __future__ import annotations

from typing import Protocol

from autograder.course.spec import Limits
from autograder.sandbox.time_limits import Stretch

LOOKS = (
    8  # at least, in the time that a case may take: so much of it, at most, is given to a case that begins between two
)


class Bound(Protocol):
    """What a wait is bounded by."""

    @property
    def over(self) -> bool:
        """Whether it took too long."""

    @property
    def waits(self) -> bool:
        """Whether the child was asleep for too long."""

    @property
    def left(self) -> float:
        """Seconds until it is time to ask again."""


class Watched(Protocol):
    """A child at work, as far as its time is concerned."""

    limits: Limits

    def marked(self) -> int:
        """Return the place of the request that the child says it began last."""

    def stretch(self, cases: int) -> Stretch:
        """Return what bounds so many cases that begin now."""


class CaseWatch:
    """What bounds a child from one batch of outcomes to the next: the case that it is in, and by when outcomes have to come.

    Where a batch ends in the middle of a case, the next one's time is what that has left.

    Which case that is, the child says. It can say what it likes, as long as outcomes come within the time of two.
    """

    def __init__(self, attempt: Watched, done: int, end: int) -> None:
        """The requests still to be answered are those from place `done` to before `end`."""
        self._attempt, self._end = attempt, end
        self._begun = done
        self._case, self._batch = attempt.stretch(1), attempt.stretch(2)
        self._look = attempt.limits.case_seconds / LOOKS
        self._told = 0.0  # of its seconds, when the last outcomes came

    def go_on(self, done: int) -> None:
        """Wait for the rest of a case from another request on: sent one by one, its outcomes would else have a time each."""
        self._begun, self._told = max(self._begun, done), self._batch.used

    @property
    def begun(self) -> int:
        """The place of the request that the child is in."""
        marked = self._attempt.marked()
        if self._begun < marked < self._end:
            self._begun, self._case = marked, self._attempt.stretch(1)
        return self._begun

    @property
    def used(self) -> float:
        """Seconds since the last outcomes came."""
        return self._batch.used - self._told

    @property
    def over(self) -> bool:
        """Whether the case or the batch has computed for too long."""
        return self.begun < self._end and (self._case.over or self._batch.over)

    @property
    def waits(self) -> bool:
        """Whether the child has been asleep for too long."""
        return self.begun < self._end and (self._case.waits or self._batch.waits)

    @property
    def left(self) -> float:
        """Seconds until it is time to look again."""
        return min(self._case.left, self._batch.left, self._look)
