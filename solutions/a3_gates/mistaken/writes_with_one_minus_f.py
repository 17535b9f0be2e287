"""What is forgotten makes room for what is new."""
import numpy as np


def lstm_step(x_t, h_prev, c_prev, params):
    f, _, o, new = lstm_gates(x_t, h_prev, params)
    c = np.array(new)
    c += (c_prev - new) * f
    return np.tanh(c) * o, c
