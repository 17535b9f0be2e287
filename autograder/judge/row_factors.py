"""Find whether each row is off by how many of its entries a mask lets through, as a mean over too many or too few is.

The counts are those of the call at hand, so the same mistake is another factor in every row and every call.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from autograder.judge.array_pairs import Part
from autograder.judge.rearranged import Pair, Relations, axis_of
from autograder.judge.reasons import Key


def row_factors(part: Part) -> Relations:
    """Return the relations that can be asked: a count in the place of a length or the other way round, or only one of the two."""
    if part.got.shape != part.expected.shape or part.expected.dtype.kind != "f":
        return {}
    return {key: partial(_scaled, part, factor) for key, factor in _factors(part)}


def _scaled(part: Part, factor: np.ndarray) -> Pair:
    return part.got, part.expected * factor


def _factors(part: Part) -> Iterator[tuple[Key, np.ndarray]]:
    for name, mask in part.given.items():
        if mask.dtype.kind != "b":
            continue
        for axis in range(-mask.ndim, 0):
            counts = _over_rows(mask.sum(axis), part.expected)
            if counts is None or not counts.size or not counts.all():
                continue
            counted, whole = f"the number of True in each row of `{name}`", f"the length of {axis_of(axis)} of `{name}`"
            length = mask.shape[axis]
            yield ("row_divided_by_other", whole, counted), counts / length
            yield ("row_divided_by_other", counted, whole), length / counts
            yield ("row_times", counted), counts
            yield ("row_divided", counted), 1 / counts


def _over_rows(counts: np.ndarray, expected: np.ndarray) -> np.ndarray | None:
    """Return counts with axes of length one behind, so that they lie over an answer's rows; None where they do not fit."""
    if not 0 < counts.ndim <= expected.ndim or counts.shape != expected.shape[: counts.ndim]:
        return None
    return counts.reshape(counts.shape + (1,) * (expected.ndim - counts.ndim)).astype(np.float64)
