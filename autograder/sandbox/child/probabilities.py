"""Probabilities: along which axis an array sums to one, and how positive numbers are normalised so that they do."""

from __future__ import annotations

import math
from typing import Any

from autograder.sandbox.child.tree import dtype_name

SUM = 1e-4  # by how much a sum may miss one


def axis_of_probabilities(array: Any) -> int:
    """Return the last axis, counted from the end, along which fractions sum to one everywhere; 0 where there is none."""
    shape = getattr(array, "shape", ())
    if "float" not in dtype_name(array) or 0 in shape or not shape or not bool((array >= 0).all()):
        return 0
    mean = float(array.sum()) / math.prod(shape)  # by which most axes are told at once that they are none
    axes = (
        axis for axis in range(-1, -len(shape) - 1, -1) if shape[axis] > 1 and abs(mean * shape[axis] - 1) < 2 * SUM
    )
    return next((axis for axis in axes if bool((abs(array.sum(axis) - 1) < SUM).all())), 0)


def as_probabilities(array: Any, axis: int) -> Any:
    """Return positive numbers divided by their sum along an axis; unchanged where that is 0 or there is no such axis."""
    return array / array.sum(axis, keepdims=True) if -len(getattr(array, "shape", ())) <= axis < 0 else array
