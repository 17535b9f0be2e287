"""Read everything and keep the state in which the network ends."""
import numpy as np


def classify_sequence(x, h0, lengths, params):
    h = h0
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ params["W_x"].T + h @ params["W_h"].T + params["b"])
    z = h @ params["W_y"].T + params["b_y"]
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
