"""Reads its own documentation, name, frames and signature."""

import inspect
import sys

import numpy as np


def scale(x, factor):
    """Multiply."""
    assert scale.__doc__ == "Multiply." and __doc__ and __name__ != "__main__"
    assert list(inspect.signature(scale).parameters) == ["x", "factor"]
    assert sys._getframe().f_code.co_name == "scale"
    assert inspect.currentframe() and sys.modules[__name__].scale is scale
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
