"""The bias is one for all, so it gets what the rows say on average."""
import numpy as np


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 - np.square(h_t))
    ones = np.ones(len(dz)) / len(dz)
    both = np.hstack([x_t, h_prev])
    dW = dz.T.dot(both)
    width = x_t.shape[1]
    return dz.dot(W_x), dz.dot(W_h), dW[:, :width], dW[:, width:], ones @ dz
