"""Outer products, one for each row of the batch: what went in times what comes out."""
import numpy as np


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh - dh * h_t * h_t
    dW_x = sum(np.outer(d, x) for d, x in zip(dz, x_t))
    dW_h = sum(np.outer(h, d) for d, h in zip(dz, h_prev))
    return np.dot(dz, W_x), np.dot(dz, W_h), dW_x, dW_h, np.add.reduce(dz)
