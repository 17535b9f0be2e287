"""Self-attention that asks for each position by itself, over what it may read."""

import numpy as np


def similarity_context(x):
    rows = [attention(x[..., t : t + 1, :], x[..., : t + 1, :], x[..., : t + 1, :]) for t in range(x.shape[-2])]
    return np.concatenate(rows, axis=-2)


def self_attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    ends = [t + 1 if causal else X.shape[-2] for t in range(X.shape[-2])]
    rows = [attention(Q[..., t : t + 1, :], K[..., :end, :], V[..., :end, :]) for t, end in enumerate(ends)]
    return np.concatenate(rows, axis=-2)
