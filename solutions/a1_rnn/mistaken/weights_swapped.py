"""W_h is the matrix of the hidden layer, which reads x; W_x mixes the states."""
import numpy as np


def rnn_step(x_t, h_prev, W_x, W_h, b):
    new = [np.tanh(W_h.dot(x) + W_x.dot(h) + b) for x, h in zip(x_t, h_prev)]
    return np.array(new)
