"""The student brings the vectors to length one before the dot product, and keeps the formula's scale."""

import numpy as np


def similarity_context(x):
    lengths = np.sqrt((x**2).sum(-1))
    out = np.empty_like(x, dtype=float)
    for i in range(x.shape[-2]):
        past = x[..., : i + 1, :]
        similar = np.einsum("...d,...jd->...j", x[..., i, :], past)
        similar = similar / (lengths[..., i, None] * lengths[..., : i + 1]) / np.sqrt(x.shape[-1])
        shares = np.exp(similar) / np.exp(similar).sum(-1, keepdims=True)
        out[..., i, :] = np.einsum("...j,...jd->...d", shares, past)
    return out
