"""Turns warnings and numpy's errors into exceptions for its own work."""

import warnings

import numpy as np


warnings.simplefilter("error")
np.seterr(all="raise")


def scale(x, factor):
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
