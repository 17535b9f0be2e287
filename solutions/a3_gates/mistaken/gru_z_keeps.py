"""z is for the past."""
import numpy as np


def gru_step(x_t, h_prev, params):
    def sums(state, gate):
        return np.append(state, x_t, 1) @ params["W_" + gate].T + params["b_" + gate]

    z, r = (1 / (1 + np.exp(-sums(h_prev, g))) for g in "zr")
    new = np.tanh(sums(r * h_prev, "h"))
    return new + z * (h_prev - new)
