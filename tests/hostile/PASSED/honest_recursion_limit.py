"""Raises the recursion limit and uses it."""

import sys

import numpy as np


sys.setrecursionlimit(20_000)


def scale(x, factor):
    def down(depth):
        return x * factor if depth == 0 else down(depth - 1)

    return down(10_000)


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
