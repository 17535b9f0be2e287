"""d W_h, d W_h W_h, and so on."""
import numpy as np


def gradient_norms(dh_last, cache):
    lengths, d = [], dh_last
    for _ in range(cache[0].shape[1]):
        lengths.append(np.sqrt(np.vdot(d, d)))
        d = d @ cache[-1]
    return np.array(lengths)
