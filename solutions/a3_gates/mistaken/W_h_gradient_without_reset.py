"""All three matrices read the row of state and input, so one outer product for all."""
import numpy as np


def gru_step_backward(dh, cache):
    z, r, new, old, W = cache["z"], cache["r"], cache["h_tilde"], cache["h_prev"], cache["params"]
    H = old.shape[1]
    da = {"h": dh * z * (1 - new**2), "z": dh * (new - old) * z * (1 - z)}
    inner = da["h"] @ W["W_h"][:, :H]
    da["r"] = inner * old * r * (1 - r)
    dx = sum(a @ W["W_" + k][:, H:] for k, a in da.items())
    dh_prev = dh - dh * z + inner * r + sum(da[k] @ W["W_" + k][:, :H] for k in "zr")
    row = np.concatenate([old, cache["x_t"]], axis=1)
    grads = {}
    for k, a in da.items():
        grads["W_" + k] = sum(np.outer(u, v) for u, v in zip(a, row))
        grads["b_" + k] = np.ones(len(a)) @ a
    return dx, dh_prev, grads
