"""Add up over the units of the past, one product after the other: W_h[from, to]."""
import numpy as np


def rnn_step(x_t, h_prev, W_x, W_h, b):
    rows, units = h_prev.shape
    new = np.empty((rows, units))
    for r in range(rows):
        for unit in range(units):
            s = b[unit]
            for f in range(x_t.shape[1]):
                s += W_x[unit, f] * x_t[r, f]
            for other in range(units):
                s += W_h[other, unit] * h_prev[r, other]
            new[r, unit] = np.tanh(s)
    return new
