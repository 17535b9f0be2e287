"""The student corrects the denominator when the maximum rises, and forgets the output."""

import numpy as np


def tiled_attention(q, k, v, block, causal=False):
    n, T = q.shape[-2], k.shape[-2]
    best = np.full(q.shape[:-1] + (1,), -np.inf, q.dtype)
    below = np.zeros(q.shape[:-1] + (1,), q.dtype)
    above = 0
    for s in range(0, T, block):
        e = min(T, s + block)
        x = np.einsum("...ad,...bd->...ab", q, k[..., s:e, :]) / np.sqrt(q.dtype.type(q.shape[-1]))
        if causal:
            x = np.where(np.arange(s, e) > np.arange(T - n, T).reshape(-1, 1), -np.inf, x)
        new = np.maximum(best, x.max(-1, keepdims=True))
        w = np.exp(x - new)
        below = np.exp(best - new) * below + w.sum(-1, keepdims=True)
        above = above + w @ v[..., s:e, :]
        best = new
    return above / below, (best + np.log(below)).squeeze(-1)
