"""Recurses nearly as deep as Python allows."""

import numpy as np


def scale(x, factor):
    def down(depth):
        return x * factor if depth == 0 else down(depth - 1)

    return down(900)


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
