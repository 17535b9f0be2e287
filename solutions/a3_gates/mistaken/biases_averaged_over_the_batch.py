"""np.mean over the rows gives one bias."""
import numpy as np


def lstm_step_backward(dh, dc, cache):
    p, t = cache["params"], np.tanh(cache["c_t"])
    cell = dc + dh * cache["o"] * (1 - t) * (1 + t)
    s = {g: cache[g] * (1 - cache[g]) for g in "fio"}
    a = {
        "f": s["f"] * cell * cache["c_prev"],
        "i": s["i"] * cell * cache["c_tilde"],
        "o": s["o"] * dh * t,
        "c": (1 - cache["c_tilde"] ** 2) * cell * cache["i"],
    }
    n = dh.shape[1]
    dh_prev = sum(v @ p["W_" + k][:, :n] for k, v in a.items())
    dx = sum(v @ p["W_" + k][:, n:] for k, v in a.items())
    grads = {"W_" + k: np.hstack([v.T @ cache["h_prev"], v.T @ cache["x_t"]]) for k, v in a.items()}
    grads.update(("b_" + k, np.mean(v, axis=0)) for k, v in a.items())
    return dx, dh_prev, cell * cache["f"], grads
