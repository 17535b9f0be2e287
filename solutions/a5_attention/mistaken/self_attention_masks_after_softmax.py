"""The student takes np.tril of the finished weights."""

import numpy as np


def self_attention(X, W_q, W_k, W_v, causal=False):
    q, k, v = (np.matmul(X, W) for W in (W_q, W_k, W_v))
    s = np.matmul(q, np.swapaxes(k, -2, -1)) / np.sqrt(W_k.shape[1])
    w = np.exp(s - s.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    return np.matmul(np.tril(w) if causal else w, v)
