"""New cell: squash it; new state: the part of it that is shown."""
import numpy as np


def lstm_step(x_t, h_prev, c_prev, params):
    forget, write, show, content = lstm_gates(x_t, h_prev, params)
    c = np.empty_like(c_prev)
    for n in range(len(c)):
        for u in range(c.shape[1]):
            c[n, u] = np.tanh(forget[n, u] * c_prev[n, u] + write[n, u] * content[n, u])
    return show * c, c
