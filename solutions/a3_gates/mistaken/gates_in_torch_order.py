"""i, f, g, o, as everywhere."""
import numpy as np


def lstm_gates(x_t, h_prev, params):
    row = np.append(h_prev, x_t, axis=1)
    made = {}
    for g in "ifco":
        a = np.array([params["W_" + g] @ r + params["b_" + g] for r in row])
        made[g] = np.tanh(a) if g == "c" else (1 + np.tanh(a / 2)) / 2
    return tuple(made.values())
