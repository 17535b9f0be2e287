"""Look up the probability of each target, then the logarithm, then the mean."""
import math

import numpy as np


def next_token_loss(logits, targets, mask):
    total, count = 0.0, 0
    for i, j in zip(*np.nonzero(mask)):
        p = softmax(logits[i, j])[targets[i, j]]
        total -= math.log(p) if p > 0 else -math.inf
        count += 1
    return total / count
