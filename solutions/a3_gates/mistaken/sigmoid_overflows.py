"""The sigma of my lecture notes: e^a / (e^a + 1)."""
import numpy as np


def _sigma(a):
    e = np.exp(a)
    return e / (e + 1)


def lstm_gates(x_t, h_prev, params):
    row = np.concatenate([h_prev, x_t], axis=1)
    f, i, o = (_sigma(np.inner(row, params[f"W_{g}"]) + params[f"b_{g}"]) for g in ("f", "i", "o"))
    return f, i, o, np.tanh(np.inner(row, params["W_c"]) + params["b_c"])
