"""All that the files of a course and the engine know of assignments, from one place."""

from __future__ import annotations

from autograder.course.assignment import (
    Assignment,
    Exercise,
    Limits,
    Misconception,
    Replacement,
    RubricItem,
    Shortcut,
)
from autograder.course.cases import (
    Answer,
    Call,
    Case,
    Check,
    Finding,
    Module,
    Plot,
    Status,
    Visibility,
    call,
    call_module,
    case,
)
from autograder.course.trainings import (
    Drawn,
    Metric,
    Training,
)
from autograder.sandbox.child.leaf import Code, Tensor

__all__ = [
    "Answer",
    "Assignment",
    "Call",
    "Case",
    "Check",
    "Code",
    "Drawn",
    "Exercise",
    "Finding",
    "Limits",
    "Metric",
    "Misconception",
    "Module",
    "Plot",
    "Replacement",
    "RubricItem",
    "Shortcut",
    "Status",
    "Tensor",
    "Training",
    "Visibility",
    "call",
    "call_module",
    "case",
]
