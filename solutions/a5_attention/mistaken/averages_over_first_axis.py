"""The student thinks of one sentence: len(x) is its length, and mean(axis=0) its mean."""

import numpy as np


def average_context(x):
    means = np.empty(x.shape)
    for step in range(len(x)):
        means[step] = np.mean(x[: step + 1], axis=0)
    return means
