"""Forward and back are the same matrix turned over; here in columns."""
import numpy as np


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    delta = ((1 - h_t) * (1 + h_t) * dh).T  # (hidden, batch)
    dx = (W_x.T @ delta).T
    dh_prev = (W_h @ delta).T
    return dx, dh_prev, delta @ x_t, delta @ h_prev, delta.sum(1)
