"""The student forgets the root, and fills where the mask is True."""

import numpy as np


def attention(Q, K, V, mask=None):
    scores = np.einsum("...qd,...kd->...qk", Q, K)
    if mask is not None:
        scores = np.where(mask, -1e9, scores)
    scores = scores - scores.max(-1, keepdims=True)
    top = np.exp(scores)
    return (top / top.sum(-1, keepdims=True)) @ V
