"""Means: fill in each function, then run `autograder check t1_means means.py`."""

import numpy as np


def as_columns(values: np.ndarray) -> np.ndarray:
    """Return values with an axis of length one at the end, so that they combine with rows."""
    return values[..., None]


def row_means(x: np.ndarray) -> np.ndarray:
    """Return the mean of each row of `x`: (..., rows, columns) -> (..., rows)."""
    # BEGIN SOLUTION
    total = x.sum(axis=-1)
    return total / x.shape[-1]
    # END SOLUTION


def center(x: np.ndarray) -> np.ndarray:
    """Return `x` with each row's mean taken from it, and leave `x` itself as it was."""
    # BEGIN SOLUTION
    means = as_columns(row_means(x))
    return x - means
    # END SOLUTION


def spread(x: np.ndarray) -> np.ndarray:
    """Return the root mean square of each centered row: (..., rows, columns) -> (..., rows)."""
    # BEGIN SOLUTION
    squares = center(x) ** 2
    mean_square = row_means(squares)
    return np.sqrt(mean_square)
    # END SOLUTION
