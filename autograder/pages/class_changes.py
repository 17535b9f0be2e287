"""The scores of a class that changed, by grading and exercise, as the report shows them. Pure functions from the history."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.classroom.history import Cause, Change

CAUSES = {
    Cause.RESUBMISSION: "resubmitted",
    Cause.CASE: "the assignment changed",
    Cause.SEED: "other hidden inputs",
    Cause.ENGINE: "another version of the engine",
    Cause.FAILURE: "the grader had failed",
    Cause.AGAIN: "depends on chance or time",
    Cause.PERSON: "a person decided",
}


@dataclass(frozen=True)
class ExerciseChanges:
    """How many scores of an exercise rose and fell, and by how much on average."""

    exercise: str
    up: int
    down: int
    mean: float
    causes: tuple[str, ...]  # in words


@dataclass(frozen=True)
class Round:
    """What one grading changed, or with number 0 what persons decided; what fell most is first."""

    number: int
    made: str  # when the last of it was written down
    changes: tuple[Change, ...]
    exercises: tuple[ExerciseChanges, ...]

    @property
    def down(self) -> int:
        """How many scores went down."""
        return sum(change.by < 0 for change in self.changes)

    @property
    def line(self) -> str:
        """What changed, in one line."""
        return changed_line(len(self.changes), self.down)


def changed_line(changed: int, down: int, *, would: bool = False) -> str:
    """Say how many scores changed, or would, and how many of them went down."""
    if not changed:
        return "no score would change" if would else "no score changed"
    scores = "1 score" if changed == 1 else f"{changed} scores"
    falls = f"{down or 'none'} {'would go' if would else 'went'} down"
    return f"{scores} {'would change' if would else 'changed'}, {falls}"


def why(change: Change) -> str:
    """Return the causes of a change in words."""
    return " and ".join(CAUSES[cause] for cause in change.causes)


def rounds_of(changes: Iterable[Change]) -> tuple[Round, ...]:
    """Return the gradings that changed something, the latest first, and then what persons decided."""
    groups: dict[int, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.round, []).append(change)
    return tuple(_round(number, groups[number]) for number in sorted(groups, reverse=True))


def _round(number: int, changes: Sequence[Change]) -> Round:
    ordered = tuple(sorted(changes, key=lambda change: (change.by, change.student, change.exercise)))
    names = dict.fromkeys(change.exercise for change in ordered)
    return Round(number, changes[-1].made, ordered, tuple(_exercise(name, ordered) for name in names))


def _exercise(name: str, changes: Iterable[Change]) -> ExerciseChanges:
    here = [change for change in changes if change.exercise == name]
    down = sum(change.by < 0 for change in here)
    causes = dict.fromkeys(why(change) for change in here)
    mean = statistics.fmean(change.by for change in here)
    return ExerciseChanges(name, len(here) - down, down, mean, tuple(causes))
