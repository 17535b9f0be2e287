"""Computes in float32 and with Python numbers, which is close enough."""

import numpy as np


def scale(x, factor):
    return np.float32(x) * np.float32(factor)


def total(x):
    result = 0
    for value in x.ravel().tolist():
        result += value
    return np.float64(result)


def grid(n):
    return np.array([[i * n + j for j in range(n)] for i in range(n)])
