"""What two known mistakes give together, as far as what each gives alone tells it: the reference, which would, stays at home."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.compare import alike
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome

Outcomes = tuple[Outcome, ...]


class _UnknownError(Exception):
    """Both change a part, each in its own way."""


def together(right: Outcomes, one: Outcomes, other: Outcomes) -> Outcomes | None:
    """Return what calls give with two mistakes of which each changes parts of its own, or None where that cannot be known.

    A part that both change is known where one of them makes it zero. What this gives is only compared with what a student's code
    gave: where two mistakes act on each other, it is like nothing.
    """
    try:
        return tuple(_of_call(*outcomes) for outcomes in zip(right, one, other, strict=True))
    except (ValueError, _UnknownError):
        return None


def _of_call(right: Outcome, one: Outcome, other: Outcome) -> Outcome:
    """Return what a call gives. Of one that raises, the other mistake shows in too few calls to be told from others."""
    if any(outcome.ending is not Ending.RETURNED for outcome in (right, one, other)):
        raise _UnknownError
    return replace(
        right, value=_mixed(right.value, one.value, other.value), args=_mixed(right.args, one.args, other.args)
    )


def _mixed(right: Any, one: Any, other: Any) -> Any:
    """Return each part of a value as the mistake gives it that changes it."""
    values = (right, one, other)
    if all(isinstance(value, dict) and value.keys() == right.keys() for value in values):
        return {key: _mixed(right[key], one[key], other[key]) for key in right}
    if all(type(value) is type(right) in (tuple, list) and len(value) == len(right) for value in values):
        return type(right)(_mixed(*parts) for parts in zip(*values, strict=True))
    if alike(one, right) or alike(one, other):
        return other
    if alike(other, right) or _is_zero(one):
        return one
    if _is_zero(other):
        return other
    raise _UnknownError


def _is_zero(value: Any) -> bool:
    array = as_arrays(value)
    return isinstance(array, np.ndarray) and array.dtype.kind in "fiu" and not array.any()
