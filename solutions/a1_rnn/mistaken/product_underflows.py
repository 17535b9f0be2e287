"""The probability of the sequence is a product; its logarithm is asked for."""
from functools import reduce
from operator import mul

import numpy as np


def sequence_log_prob(logits, ids):
    if ids.ndim > 1:
        return np.array([sequence_log_prob(l, i) for l, i in zip(logits, ids)])
    factors = [softmax(z)[i] for z, i in zip(logits, ids)]
    return np.log(reduce(mul, factors, 1.0))
