"""Collect the gradients of the inputs on the way back, by recursion, and stack them."""
import numpy as np


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    found, sums = [], [0, 0, 0]

    def back(t, later):
        if t < 0:
            return later
        before = h[:, t - 1] if t else h0
        dx, earlier, *dW = rnn_step_backward(dh[:, t] + later, (x[:, t], before, h[:, t], W_x, W_h))
        found.append(dx)
        for k in range(3):
            sums[k] = sums[k] + dW[k]
        return back(t - 1, earlier)

    dh0 = back(x.shape[1] - 1, np.zeros(h0.shape))
    return np.stack(found, axis=1), dh0, *sums
