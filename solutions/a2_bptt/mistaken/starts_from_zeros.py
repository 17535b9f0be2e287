"""Before the first step there is nothing: shift the states by one and fill up with zeros."""
import numpy as np


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    before = np.pad(h, ((0, 0), (1, 0), (0, 0)))[:, :-1]
    dz = np.zeros_like(h)
    back = np.zeros_like(h0)
    for t in range(h.shape[1])[::-1]:
        dz[:, t] = (dh[:, t] + back) * (1 - h[:, t] ** 2)
        back = dz[:, t] @ W_h
    dW_x, dW_h = np.einsum("bth,btf->hf", dz, x), np.einsum("bth,btk->hk", dz, before)
    return dz @ W_x, back, dW_x, dW_h, dz.sum(axis=(0, 1))
