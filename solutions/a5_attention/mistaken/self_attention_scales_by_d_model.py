"""The student divides by the root of X's width."""

import numpy as np


def self_attention(X, W_q, W_k, W_v, causal=False):
    T, width = X.shape[-2:]
    scores = np.einsum("...id,dk,ek,...je->...ij", X, W_q, W_k, X) / width**0.5
    if causal:
        scores[..., np.triu_indices(T, 1)[0], np.triu_indices(T, 1)[1]] = -np.inf
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    scores = scores / np.sum(scores, axis=-1, keepdims=True)
    return scores @ (X @ W_v)
