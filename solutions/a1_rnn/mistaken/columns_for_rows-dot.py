"""The formula, letter by letter."""
import numpy as np


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh(W_x.dot(x_t) + W_h.dot(h_prev) + b)
