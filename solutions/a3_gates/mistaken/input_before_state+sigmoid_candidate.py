"""The input comes first, and everything goes through sigma."""
import numpy as np


def lstm_gates(x_t, h_prev, params):
    row = np.concatenate((x_t, h_prev), axis=-1).T
    return tuple(0.5 + 0.5 * np.tanh(0.5 * (params[f"W_{g}"] @ row + params[f"b_{g}"][:, None])).T for g in "fioc")
