"""h_prev is read by three matrices."""
import numpy as np


def gru_step_backward(dh, cache):
    x, h, z, r, g = (cache[k] for k in ("x_t", "h_prev", "z", "r", "h_tilde"))
    p, H = cache["params"], cache["h_prev"].shape[1]
    a_h = dh * z * (1 - g) * (1 + g)
    back = np.einsum("bo,oi->bi", a_h, p["W_h"])
    a_z = dh * (g - h) * (z - z**2)
    a_r = back[:, :H] * h * (r - r**2)
    gates = np.einsum("bo,oi->bi", a_z, p["W_z"]) + np.einsum("bo,oi->bi", a_r, p["W_r"])
    row, reset = np.hstack([h, x]), np.hstack([r * h, x])
    grads = {"W_z": a_z.T @ row, "W_r": a_r.T @ row, "W_h": a_h.T @ reset}
    grads |= {"b_z": a_z.sum(0), "b_r": a_r.sum(0), "b_h": a_h.sum(0)}
    return back[:, H:] + gates[:, H:], back[:, :H] * r + gates[:, :H], grads
