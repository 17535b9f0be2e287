"""A row is what comes in, and then what was there."""
import numpy as np


def lstm_gates(x_t, h_prev, params):
    row = np.c_[x_t, h_prev]

    def gate(letter, squash):
        return squash(np.einsum("bi,oi->bo", row, params["W_" + letter]) + params["b_" + letter])

    sigma = lambda a: 1 / (1 + np.exp(-np.clip(a, -500, 500)))
    return gate("f", sigma), gate("i", sigma), gate("o", sigma), gate("c", np.tanh)
