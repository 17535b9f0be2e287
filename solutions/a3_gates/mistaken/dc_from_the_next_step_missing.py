"""From h_t back to everything; h_t is what the loss sees."""
import numpy as np


def lstm_step_backward(dh, dc, cache):
    c, o, row = np.tanh(cache["c_t"]), cache["o"], np.hstack([cache["h_prev"], cache["x_t"]])
    f, i, g = cache["f"], cache["i"], cache["c_tilde"]
    cell = dh * o / np.cosh(cache["c_t"]) ** 2
    sums = {
        "f": cell * cache["c_prev"] * f * (1 - f),
        "i": cell * g * i * (1 - i),
        "o": dh * c * o * (1 - o),
        "c": cell * i * (1 - g * g),
    }
    grads = {"W_" + n: np.einsum("bo,bi->oi", a, row) for n, a in sums.items()}
    grads.update({"b_" + n: a.sum(0) for n, a in sums.items()})
    back = sum(a @ cache["params"]["W_" + n] for n, a in sums.items())
    width = dh.shape[1]
    return back[:, width:], back[:, :width], cell * f, grads
