"""Go back a step, measure, and so on."""
import numpy as np


def gradient_norms(dh_last, cache):
    h, W_h, d, lengths = cache[2], cache[4], dh_last, []
    for state in reversed(list(h.swapaxes(0, 1))):
        d = (d * (1 - state * state)).dot(W_h)
        lengths.append(float(np.sqrt(np.einsum("nh,nh->", d, d))))
    return np.array(lengths[::-1])
