"""Takes most of the time it has."""

import time

import numpy as np


def scale(x, factor):
    time.sleep(0.1)
    stop = time.monotonic() + 0.1
    while time.monotonic() < stop:
        np.linalg.inv(np.eye(50))
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
