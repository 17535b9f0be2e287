"""A unit's activation is the logistic function."""
import numpy as np


def rnn_step(x_t, h_prev, W_x, W_h, b):
    both = np.concatenate([x_t, h_prev], axis=1)
    weights = np.concatenate([W_x, W_h], axis=1)
    return 1.0 / (1.0 + np.exp(-(both @ weights.T + b)))
