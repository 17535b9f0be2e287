"""The states before: roll them by one step."""
import numpy as np


def lstm_backward(dh, dc, cache):
    before_h, before_c = np.roll(cache["h"], 1, axis=1), np.roll(cache["c"], 1, axis=1)
    dh_later, dc_later, total, dx = 0.0, 0.0, {}, []
    for t in range(dh.shape[1] - 1, -1, -1):
        now = {k: cache[k][:, t] for k in ("f", "i", "o", "c_tilde")}
        now.update(x_t=cache["x"][:, t], c_t=cache["c"][:, t], params=cache["params"])
        now.update(h_prev=before_h[:, t], c_prev=before_c[:, t])
        d, dh_later, dc_later, g = lstm_step_backward(dh[:, t] + dh_later, dc[:, t] + dc_later, now)
        dx = [d] + dx
        total = {k: total.get(k, 0) + v for k, v in g.items()}
    return np.stack(dx, axis=1), dh_later, dc_later, total
