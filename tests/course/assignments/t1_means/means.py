"""Means: fill in each function, then run `autograder check t1_means means.py`."""

import numpy as np


def as_columns(values: np.ndarray) -> np.ndarray:
    """Return values with an axis of length one at the end, so that they combine with rows."""
    return values[..., None]


def row_means(x: np.ndarray) -> np.ndarray:
    """Return the mean of each row of `x`: (..., rows, columns) -> (..., rows)."""
    raise NotImplementedError("row_means is not written yet")


def center(x: np.ndarray) -> np.ndarray:
    """Return `x` with each row's mean taken from it, and leave `x` itself as it was."""
    raise NotImplementedError("center is not written yet")


def spread(x: np.ndarray) -> np.ndarray:
    """Return the root mean square of each centered row: (..., rows, columns) -> (..., rows)."""
    raise NotImplementedError("spread is not written yet")
