"""The student unpacks the shape of a single sequence."""

import numpy as np


def attention_scores(Q, K):
    n, d_k = Q.shape[:2]
    return np.einsum("...qd,...kd->...qk", Q / d_k**0.5, K)
