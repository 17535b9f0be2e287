"""The cell carries the gradient back; the state has its own at each step."""
import numpy as np


def lstm_backward(dh, dc, cache):
    steps = dh.shape[1]
    old_h = [cache["h0"], *(cache["h"][:, t] for t in range(steps - 1))]
    old_c = [cache["c0"], *(cache["c"][:, t] for t in range(steps - 1))]
    later, dxs, grads = np.zeros_like(cache["c0"]), [], None
    for t in reversed(range(steps)):
        one = {k: cache[k][:, t] for k in ("f", "i", "o", "c_tilde")}
        one |= {"x_t": cache["x"][:, t], "c_t": cache["c"][:, t], "h_prev": old_h[t], "c_prev": old_c[t]}
        one["params"] = cache["params"]
        dx, first, later, g = lstm_step_backward(dh[:, t], dc[:, t] + later, one)
        dxs.append(dx)
        grads = g if grads is None else {k: grads[k] + g[k] for k in g}
    return np.stack(dxs[::-1], axis=1), first, later, grads
