"""What every check by value has: a tolerance, and when two submissions count as alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from autograder.course.spec import Answer, Call
from autograder.judge.compare import alike
from autograder.judge.tolerance import TOLERANCE

Calls = tuple[Call, ...]
Answers = tuple[Answer, ...]


@dataclass(frozen=True)
class ByValue:
    """Two submissions are alike when every call returned the same value.

    A tolerance other than the usual one needs a written reason, `because`.
    """

    sees_arguments: ClassVar[bool] = False
    alike_by_value: ClassVar[bool] = True  # whether answers are alike only where all values, or those `at` a place, are
    tolerance: float = field(default=TOLERANCE, kw_only=True)
    because: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if (self.tolerance == TOLERANCE) == bool(self.because.strip()):
            raise ValueError(f"tolerance={self.tolerance:g} needs because=, and the usual {TOLERANCE:g} needs none")

    def public(self, expected: Answers) -> Answers:
        """Return what students may know of the expected answers: all of them."""
        return expected

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether two submissions returned the same, call by call."""
        return all(alike(mine.value, theirs.value, self.tolerance) for mine, theirs in zip(got, other, strict=True))
