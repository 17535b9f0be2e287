"""z takes from the past: old state minus candidate."""
import numpy as np


def gru_step_backward(dh, cache):
    h, z, r, n, p = cache["h_prev"], cache["z"], cache["r"], cache["h_tilde"], cache["params"]
    size = h.shape[1]
    split = lambda v: (v[:, :size], v[:, size:])
    an = dh * z * (1 - n * n)
    az = dh * (h - n) * z * (1 - z)
    hn, xn = split(an @ p["W_h"])
    ar = hn * h * r * (1 - r)
    hz, xz = split(az @ p["W_z"])
    hr, xr = split(ar @ p["W_r"])
    row = np.hstack([h, cache["x_t"]])
    grads = {"W_h": an.T @ np.hstack([r * h, cache["x_t"]]), "W_z": az.T @ row, "W_r": ar.T @ row}
    grads |= {"b_" + k: v.sum(axis=0) for k, v in (("h", an), ("z", az), ("r", ar))}
    return xn + xz + xr, dh * (1 - z) + hn * r + hz + hr, grads
