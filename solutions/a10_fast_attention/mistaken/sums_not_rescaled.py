"""The student keeps one running maximum, and adds up what each block gives."""

import numpy as np


def online_softmax(blocks):
    biggest = float("-inf")
    bottom = 0
    top = 0
    for s, v in blocks:
        if s.max() > biggest:
            biggest = s.max()
        if biggest == float("-inf"):
            continue
        weights = np.exp(s - biggest)
        bottom = bottom + weights.sum()
        top = top + (weights[:, None] * v).sum(axis=0)
    return biggest, bottom, top / bottom
