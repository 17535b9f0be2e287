"""The student takes plain dot products, and cuts the future off the finished shares."""

import numpy as np


def similarity_context(x):
    T = x.shape[-2]
    dots = np.matmul(x, np.swapaxes(x, -2, -1))
    shares = np.exp(dots - dots.max(-1, keepdims=True))
    shares = shares / shares.sum(-1, keepdims=True)
    for i in range(T):
        shares[..., i, i + 1 :] = 0
    return np.matmul(shares, x)
