"""What a grading tells of its progress, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self


@dataclass(frozen=True)
class Mark:
    """What one submission came to, in short."""

    student: str
    status: str
    score: float
    max_score: float


@dataclass(frozen=True)
class Step:
    """How far the training of a submission has come, or of the reference, which is trained once before the first."""

    student: str
    exercise: str
    step: int
    steps: int
    loss: float
    reference: bool = False

    def __str__(self) -> str:
        who = "the reference's" if self.reference else self.student
        return f"{who} {self.exercise} {self.step} of {self.steps} (loss {self.loss:.3g})"


class Watch(Protocol):
    """Whom a grading tells how far it is."""

    def __enter__(self) -> Self:
        """Begin to show."""

    def __exit__(self, *_: object) -> None:
        """Show no more."""

    def start(self, todo: int, kept: int) -> None:
        """Announce how many will be graded and how many are unchanged."""

    def graded(self, one: Mark) -> None:
        """Count one more that is graded."""

    def training(self, one: Step) -> None:
        """Tell how far a training has come; several threads do."""
