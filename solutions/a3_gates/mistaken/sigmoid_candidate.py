"""All four at once: one tall matrix, one sigma, split."""
import numpy as np


def lstm_gates(x_t, h_prev, params):
    tall = np.vstack([params[f"W_{g}"] for g in "fioc"])
    bias = np.hstack([params[f"b_{g}"] for g in "fioc"])
    width = h_prev.shape[1]
    sums = h_prev @ tall[:, :width].T + x_t @ tall[:, width:].T + bias
    return tuple(np.split(np.exp(-np.logaddexp(0, -sums)), 4, axis=1))
