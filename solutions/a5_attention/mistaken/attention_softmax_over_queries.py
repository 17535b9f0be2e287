"""The student sums over the axis that stands first in (T_q, T_k)."""

import numpy as np


def attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores + np.where(mask, 0, -np.inf)
    biggest = np.max(scores, axis=-2, keepdims=True)
    shares = np.exp(scores - biggest)
    shares = shares / np.sum(shares, axis=-2, keepdims=True)
    return shares @ V
