"""Uses generators, context managers, coroutines by hand and star imports."""

from contextlib import contextmanager

import numpy as np


from math import *


@contextmanager
def open_factor(factor):
    yield factor


def rows(x, factor):
    for row in x:
        with open_factor(factor) as value:
            yield row * value


def scale(x, factor):
    return np.array(list(rows(x, factor)))


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
