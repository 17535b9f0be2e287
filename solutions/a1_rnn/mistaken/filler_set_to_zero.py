"""Zeros add nothing, so with filler of zeros one can read on to the end."""
import numpy as np


def classify_sequence(x, h0, lengths, params):
    clean = np.array(x)
    for n, end in enumerate(lengths):
        clean[n, end:] = 0.0
    h = h0
    for v in np.moveaxis(clean, 1, 0):
        h = np.tanh(v @ params["W_x"].T + h @ params["W_h"].T + params["b"])
    return output_probs(h, params["W_y"], params["b_y"])
