"""Each output has its own step; all steps at once, without a loop."""
import numpy as np


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dz = dh * (1 - h * h)
    return (
        dz @ W_x,
        dz[:, 0] @ W_h,
        np.tensordot(dz, x, axes=([0, 1], [0, 1])),
        np.tensordot(dz, before, axes=([0, 1], [0, 1])),
        dz.sum((0, 1)),
    )
