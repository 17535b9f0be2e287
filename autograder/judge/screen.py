"""The terminal that a result is written for, and what of a result is put together, shortened or left out until it fits."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from enum import Enum, auto


@dataclass(frozen=True)
class Screen:
    """A terminal: its size, and whether it shows colors."""

    width: int = 100
    rows: int = 0  # lines, of which the last is the prompt's; 0 where there is no end to them
    color: bool = False

    def holds(self, lines: int) -> bool:
        """Whether so many lines are seen at once."""
        return not self.rows or lines < self.rows


class Listed(Enum):
    """How exercises are listed that are not shown in full."""

    EACH = auto()  # on a line of its own, with what is known of it
    NAMED = auto()  # in one line with the others of its kind, by name
    COUNTED = auto()  # by their number


@dataclass(frozen=True)
class Cut:
    """One way to write a result in fewer lines."""

    passed: Listed = Listed.EACH
    open: Listed = Listed.EACH  # what is not answered or not written, or waits for another exercise
    failing: Listed = Listed.EACH
    details: int = 0  # steps by which what shows a failure is shortened
    names_cases: bool = True  # of the exercise that is shown, those that fail as well
    claim_whole: bool = True

    @property
    def leaves_out(self) -> bool:
        """Whether it does more than put things together."""
        return self.details > 1 or self.failing is not Listed.EACH or not self.names_cases


# What helps least to mend the exercise that is shown goes first.
_STEPS: tuple[dict[str, object], ...] = (
    {"passed": Listed.NAMED},
    {"details": 1},
    {"open": Listed.NAMED},
    {"names_cases": False},
    {"passed": Listed.COUNTED, "open": Listed.COUNTED},
    {"details": 2},
    {"failing": Listed.NAMED},
    {"details": 3},
    {"claim_whole": False},
    {"failing": Listed.COUNTED},
    {"details": 4},
)


def _cut_further(cut: Cut, step: dict[str, object]) -> Cut:
    return replace(cut, **step)  # type: ignore[arg-type]


CUTS: tuple[Cut, ...] = tuple(itertools.accumulate(_STEPS, _cut_further, initial=Cut()))
