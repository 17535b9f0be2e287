"""Uses most of the memory it has, and lets go of it."""

import numpy as np


def scale(x, factor):
    big = np.ones((10 << 20,))
    return x * factor * big[0]


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
