"""The student asks len(X) for the number of positions."""

import numpy as np


def self_attention(X, W_q, W_k, W_v, causal=False):
    n = len(X)
    mask = np.array([[key <= query for key in range(n)] for query in range(n)]) if causal else None
    return attention(X @ W_q, X @ W_k, X @ W_v, mask)
