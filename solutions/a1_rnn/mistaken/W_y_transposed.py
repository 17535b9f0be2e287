"""Row times matrix, as for the state."""
import numpy as np


def output_probs(h, W_y, b_y):
    z = np.dot(h, W_y) + b_y
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
