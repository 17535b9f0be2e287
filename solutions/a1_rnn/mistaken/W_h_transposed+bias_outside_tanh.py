"""Row times matrix; the bias is where a unit starts from when all is said."""
import numpy as np


def rnn_step(x_t, h_prev, W_x, W_h, b):
    squashed = np.tanh(np.dot(x_t, W_x.T) + np.dot(h_prev, W_h))
    return np.add(squashed, b)
