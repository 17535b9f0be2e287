"""Scale, add and count."""

import numpy as np


def scale(x, factor):
    """Return `x` times `factor`."""
    # BEGIN SOLUTION
    return x * factor
    # END SOLUTION


def total(x):
    """Return the sum of all entries of `x`."""
    # BEGIN SOLUTION
    return float(np.sum(x))
    # END SOLUTION


def grid(n):
    """Return the numbers 0 to n * n - 1 in a square of n rows."""
    # BEGIN SOLUTION
    return np.arange(float(n * n)).reshape(n, n)
    # END SOLUTION
