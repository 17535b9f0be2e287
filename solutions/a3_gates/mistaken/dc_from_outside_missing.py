"""All by hand: the sums of all gates at every step first, then the weights in one product."""
import numpy as np


def lstm_backward(dh, dc, cache):
    p, h, c = cache["params"], cache["h"], cache["c"]
    H = h.shape[2]
    before = np.concatenate([cache["h0"][:, None], h[:, :-1]], 1)
    cells = np.concatenate([cache["c0"][:, None], c[:, :-1]], 1)
    rows = np.concatenate([before, cache["x"]], 2)
    tall = np.concatenate([p["W_" + g] for g in "fioc"])
    dA, drow = np.zeros(h.shape[:2] + (4 * H,)), np.zeros(rows.shape)
    state, cell = np.zeros_like(cache["h0"]), np.zeros_like(cache["c0"])
    for t in reversed(range(h.shape[1])):
        f, i, o, g = (cache[k][:, t] for k in ("f", "i", "o", "c_tilde"))
        th = np.tanh(c[:, t])
        state = state + dh[:, t]
        cell = cell + state * o * (1 - th**2)
        gates = [cell * cells[:, t] * f * (1 - f), cell * g * i * (1 - i), state * th * o * (1 - o)]
        dA[:, t] = np.concatenate([*gates, cell * i * (1 - g**2)], 1)
        drow[:, t] = dA[:, t] @ tall
        state, cell = drow[:, t, :H], cell * f
    W, b = np.split(np.einsum("bto,bti->oi", dA, rows), 4), np.split(dA.sum((0, 1)), 4)
    grads = {"W_" + k: v for k, v in zip("fioc", W)} | {"b_" + k: v for k, v in zip("fioc", b)}
    return drow[:, :, H:], state, cell, grads
