"""Warns, in all the ways there are, which costs nothing."""

import warnings

import numpy as np


warnings.warn("at import", DeprecationWarning, stacklevel=1)


def scale(x, factor):
    warnings.warn("this is slow", stacklevel=2)
    np.array([1.0]) / np.array([0.0])
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
