"""Seeds and uses all the global random states there are."""

import random

import numpy as np


random.seed(1)
np.random.seed(1)
first = random.random(), np.random.rand()


def scale(x, factor):
    noise = np.random.default_rng().normal(size=x.shape) + np.random.rand() + random.random()
    return (x + noise - noise) * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
