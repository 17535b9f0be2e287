"""How close is close enough: the deviation of an array from the expected one, and the largest that passes.

The deviation is the largest absolute difference divided by the largest absolute expected entry, so float32 work passes and a
wrong formula does not. For whole numbers and truth values it is not divided: a large entry must not hide an error of one.
"""

from __future__ import annotations

import numpy as np

# `autograder calibrate` checks for every case that float noise is a decade below it and that known mistakes are above.
TOLERANCE = 1e-4


def deviation(got: np.ndarray, expected: np.ndarray) -> float:
    """Return max |got - expected| / max |expected| over finite entries, inf where non-finite entries disagree."""
    exact = expected.dtype.kind != "f"
    got64, expected64 = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    if got64.size == 0:
        return 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        largest = float(np.abs(got64 - expected64).max())
        largest_entry = 1.0 if exact else float(np.abs(expected64).max()) or 1.0
    if np.isfinite(largest) and np.isfinite(
        largest_entry
    ):  # the usual case, and the only one in which all entries are finite
        return largest / largest_entry
    finite = np.isfinite(expected64)
    if not np.array_equal(np.isfinite(got64), finite) or not np.array_equal(
        got64[~finite], expected64[~finite], equal_nan=True
    ):
        return float("inf")
    with np.errstate(over="ignore"):
        return float(np.abs(got64[finite] - expected64[finite]).max(initial=0.0)) / scale(expected)


def scale(expected: np.ndarray) -> float:
    """Return what differences are divided by: the largest finite absolute entry, or 1 for whole numbers."""
    if expected.dtype.kind != "f":
        return 1.0
    return float(np.abs(expected[np.isfinite(expected)], dtype=np.float64).max(initial=0.0)) or 1.0
