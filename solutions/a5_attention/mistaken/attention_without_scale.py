"""The student writes softmax(Q K^T) V, query by query, and forgets the root."""

import numpy as np


def attention(Q, K, V, mask=None):
    allowed = True if mask is None else mask
    out = []
    allowed = np.broadcast_to(allowed, (*Q.shape[:-1], K.shape[-2]))
    for i in range(Q.shape[-2]):
        dots = np.einsum("...d,...kd->...k", Q[..., i, :], K)
        dots = np.where(allowed[..., i, :], dots, -1e300)
        e = np.exp(dots - dots.max(-1, keepdims=True))
        out.append(np.einsum("...k,...kv->...v", e / e.sum(-1, keepdims=True), V))
    return np.stack(out, -2)
