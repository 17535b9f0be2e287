"""The student divides by the root of X's width, and means to come back to `causal` later."""

import numpy as np


def self_attention(X, W_q, W_k, W_v, causal=False):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    logits = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(X.shape[-1])
    logits -= logits.max(-1, keepdims=True)
    p = np.exp(logits)
    return np.einsum("...ij,...jv->...iv", p / p.sum(-1, keepdims=True), v)
