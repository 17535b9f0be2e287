"""What a submission may use over all its attempts: seconds from its first case on, and bytes of answers."""

from __future__ import annotations

import time

from autograder.course.spec import Limits
from autograder.sandbox.job import Ending
from autograder.sandbox.machine import patience

TOTAL_OUTPUTS = 4  # times the size of one answer, for all of them
SLACK = 1 << 16  # bytes a frame holds beside the answer itself


class EndedError(Exception):
    """An attempt came to its end before its work was done; carries how."""

    def __init__(self, ending: Ending, text: str) -> None:
        super().__init__(text)
        self.ending = ending


class Budget:
    """Counts down while a submission runs; shared by its attempts, so that starting again buys nothing.

    On a machine that is busy with other work every limit of time is longer: a grade must not depend on who else is there.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = (limits.output_mb << 20) * TOTAL_OUTPUTS
        self._end: float | None = None
        self.patience = patience()

    @property
    def spent(self) -> str:
        """Say what is used up, if anything is."""
        if self._bytes < 0:
            return f"its answers came to more than {self._limits.output_mb * TOTAL_OUTPUTS} MB"
        if self._end is not None and time.monotonic() >= self._end:
            return f"the {self._limits.total_seconds:g} s for the whole submission were used up"
        return ""

    def deadline(self, seconds: float) -> float:
        """Return the time by which something that begins now has to end; the first call starts the clock."""
        now = time.monotonic()
        self._end = self._end or now + self._limits.total_seconds * self.patience
        return min(now + seconds * self.patience, self._end)

    def receive(self, size: int) -> None:
        """Count an answer's bytes. Raises EndedError where they are too many."""
        self._bytes -= size
        if size > (self._limits.output_mb << 20) + SLACK:
            raise EndedError(Ending.OUTPUT, f"it sent more than {self._limits.output_mb} MB")
        if self._bytes < 0:
            raise EndedError(Ending.OUTPUT, self.spent)
