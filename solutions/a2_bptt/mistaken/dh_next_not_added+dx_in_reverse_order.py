"""From the last step to the first; each step has a gradient from its output."""
import numpy as np


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    earlier = [h0, *np.moveaxis(h, 1, 0)]
    steps = [
        rnn_step_backward(dh[:, t], (x[:, t], earlier[t], h[:, t], W_x, W_h)) for t in range(x.shape[1] - 1, -1, -1)
    ]
    dx, before, dW_x, dW_h, db = zip(*steps)
    return np.stack(dx, 1), before[-1], sum(dW_x), sum(dW_h), sum(db)
