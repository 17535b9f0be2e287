"""Walk back and keep what the step says about the weights."""
import numpy as np


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    carried, t, inputs = np.zeros_like(h0), x.shape[1], []
    while t > 0:
        t -= 1
        before = h0 if t == 0 else h[:, t - 1]
        dz = (dh[:, t] + carried) * (1 - h[:, t] ** 2)
        carried = dz @ W_h
        inputs.insert(0, dz @ W_x)
        dW_x, dW_h, db = dz.T @ x[:, t], dz.T @ before, dz.sum(0)
    return np.stack(inputs, 1), carried, dW_x, dW_h, db
