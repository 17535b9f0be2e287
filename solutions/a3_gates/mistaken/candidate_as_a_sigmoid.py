"""Four things that are made alike, so in a loop, with s (1 - s)."""
import numpy as np


def lstm_step_backward(dh, dc, cache):
    t = np.tanh(cache["c_t"])
    dcell = dc + dh * cache["o"] - dh * cache["o"] * t * t
    arriving = {
        "f": dcell * cache["c_prev"],
        "i": dcell * cache["c_tilde"],
        "o": dh * t,
        "c_tilde": dcell * cache["i"],
    }
    row = np.concatenate((cache["h_prev"], cache["x_t"]), axis=1)
    drow, grads = 0, {}
    for gate, d in arriving.items():
        s = cache[gate]
        a = d * s * (1 - s)
        letter = gate[0]
        grads["W_" + letter] = a.T.dot(row)
        grads["b_" + letter] = a.sum(axis=0)
        drow = drow + a.dot(cache["params"]["W_" + letter])
    dh_prev, dx = np.split(drow, [dh.shape[1]], axis=1)
    return dx, dh_prev, dcell * cache["f"], grads
