"""Contexts by a mask over counted positions and by projections that change nothing; where all is visible, a mask says so."""

import numpy as np


def average_context(x):
    time = x.shape[-2]
    return causal_mask(time, time) / np.arange(1, time + 1)[:, None] @ x


def similarity_context(x):
    same = np.eye(x.shape[-1])
    return self_attention(x, same, same, same, causal=True)


def self_attention(X, W_q, W_k, W_v, causal=False):
    time = X.shape[-2]
    mask = causal_mask(time, time) if causal else np.ones((time, time), dtype=bool)
    return attention(*project_qkv(X, W_q, W_k, W_v), mask)
