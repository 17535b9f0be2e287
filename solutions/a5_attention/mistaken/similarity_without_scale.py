"""The student compares by plain dot products, as in Luong's dot score, and overlooks the root."""

import numpy as np


def similarity_context(x):
    out = np.zeros(x.shape, dtype=float)
    for t in range(x.shape[-2]):
        seen = x[..., : t + 1, :]
        dots = (seen * x[..., t : t + 1, :]).sum(-1)
        dots -= dots.max(-1, keepdims=True)
        share = np.exp(dots)
        share /= share.sum(-1, keepdims=True)
        out[..., t, :] = (share[..., None] * seen).sum(-2)
    return out
