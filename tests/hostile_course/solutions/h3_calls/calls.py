"""Sizes, strides and what is built on them; the loops end for right answers, and for some wrong ones never."""

import numpy as np


def size(x):
    """Return the number of entries of `x`."""
    # BEGIN SOLUTION
    return int(x.size)
    # END SOLUTION


def stride(x):
    """Return how far the second entry of `x` lies above the first."""
    # BEGIN SOLUTION
    return float(x[1] - x[0])
    # END SOLUTION


def table(x):
    """Return the entries of `x` beside their numbers."""
    # BEGIN SOLUTION
    rows = np.ones((size(x), 2))
    rows[:, 0] = np.arange(size(x))
    rows[: len(x), 1] = x
    return rows
    # END SOLUTION


def walk(x, end):
    """Walk from the first entry of `x` in its strides and return the first place at or past `end`."""
    # BEGIN SOLUTION
    place, step = float(x[0]), stride(x)
    while place < end:
        place += step
    return place
    # END SOLUTION


def settle(x):
    """Return how often `x` has to be halved until its stride and its first entry are below 1."""
    # BEGIN SOLUTION
    count = 0
    while abs(stride(x)) >= 1 or x[0] >= 1:
        x, count = x / 2, count + 1
    return count
    # END SOLUTION


def shares(x, y):
    """Return how much each row of `x` takes of each row of `y`: the softmax of their products."""
    # BEGIN SOLUTION
    raised = np.exp(x @ y.T)
    return raised / raised.sum(axis=-1, keepdims=True)
    # END SOLUTION


def mix(x, y, z):
    """Return the rows of `z` mixed by the shares that `x` takes of `y`."""
    # BEGIN SOLUTION
    return shares(x, y) @ z
    # END SOLUTION
