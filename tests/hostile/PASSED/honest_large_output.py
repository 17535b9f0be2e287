"""Returns results close to the limit, from memory laid out in other ways."""

import numpy as np


def scale(x, factor):
    return np.asfortranarray(x * factor)


def total(x):
    return float(np.sum(x))


def grid(n):
    wide = np.arange(float(2 * n * n)).reshape(n, 2 * n) / 2
    wide[...] = np.repeat(np.arange(float(n * n)), 2).reshape(n, 2 * n)
    return wide[:, ::2]
