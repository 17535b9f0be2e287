"""Trusts nothing but inputs and params: backward passes compute the gates once more, and classes hold the work."""

import numpy as np


def _act(a):
    return (np.tanh(a / 2) + 1) / 2


class LSTM:
    """A layer with a forward and a backward method, and a list of caches in between."""

    def __init__(self, params):
        self.params = params
        self.caches = []
        self.grads = {name: np.zeros_like(value) for name, value in params.items()}

    def gates(self, x, h):
        row = np.concatenate((h, x), axis=1)
        a = {k: np.dot(row, self.params["W_" + k].T) + self.params["b_" + k] for k in "fioc"}
        return {k: np.tanh(v) if k == "c" else _act(v) for k, v in a.items()}

    def forward(self, x, h, c):
        g = self.gates(x, h)
        c_new = g["f"] * c + g["i"] * g["c"]
        self.caches.append((x, h, c, g, c_new))
        return g["o"] * np.tanh(c_new), c_new

    def backward(self, dh, dc):
        x, h, c, g, c_new = self.caches.pop()
        t = np.tanh(c_new)
        dc = dc + dh * g["o"] * (1 - t**2)
        d = {"f": dc * c, "i": dc * g["c"], "o": dh * t, "c": dc * g["i"]}
        d = {k: v * (1 - g[k] ** 2) if k == "c" else v * (g[k] - g[k] ** 2) for k, v in d.items()}
        row = np.concatenate((h, x), axis=1)
        for k in "fioc":
            self.grads["W_" + k] += np.dot(d[k].T, row)
            self.grads["b_" + k] += np.sum(d[k], axis=0)
        both = np.hstack([d[k] for k in "fioc"]) @ np.vstack([self.params["W_" + k] for k in "fioc"])
        return both[:, h.shape[1] :], both[:, : h.shape[1]], dc * g["f"]


def lstm_gates(x_t, h_prev, params):
    g = LSTM(params).gates(x_t, h_prev)
    return g["f"], g["i"], g["o"], g["c"]


def lstm_step(x_t, h_prev, c_prev, params):
    return LSTM(params).forward(x_t, h_prev, c_prev)


def lstm_step_backward(dh, dc, cache):
    lstm = LSTM(cache["params"])
    lstm.forward(cache["x_t"], cache["h_prev"], cache["c_prev"])
    return (*lstm.backward(dh, dc), lstm.grads)


def lstm_backward(dh, dc, cache):
    lstm, h, c = LSTM(cache["params"]), cache["h0"], cache["c0"]
    for t in range(dh.shape[1]):
        h, c = lstm.forward(cache["x"][:, t], h, c)
    dx, back_h, back_c = [], 0, 0
    for t in range(dh.shape[1])[::-1]:
        dx_t, back_h, back_c = lstm.backward(dh[:, t] + back_h, dc[:, t] + back_c)
        dx.append(dx_t)
    return np.stack(dx[::-1], axis=1), back_h, back_c, lstm.grads


def gru_step(x_t, h_prev, params):
    return gru_step_keep(x_t, h_prev, convert_gru(params))


def gru_step_keep(x_t, h_prev, params):
    z, r = (_act(np.c_[h_prev, x_t] @ params["W_" + k].T + params["b_" + k]) for k in "zr")
    return h_prev * z + np.tanh(np.c_[h_prev * r, x_t] @ params["W_h"].T + params["b_h"]) * (1 - z)


def convert_gru(params):
    return params | {name: 0.0 - params[name] for name in ("W_z", "b_z")}


def gru_step_backward(dh, cache):
    x, h, p = cache["x_t"], cache["h_prev"], cache["params"]
    H = h.shape[1]
    z, r = (_act(np.c_[h, x] @ p["W_" + k].T + p["b_" + k]) for k in "zr")
    g = np.tanh(np.c_[h * r, x] @ p["W_h"].T + p["b_h"])
    dh_prev, dx = dh - dh * z, np.zeros_like(x)
    grads = {}
    for k in "hzr":
        if k == "h":
            da, row = dh * z * (1 - g**2), np.c_[h * r, x]
            drow = da @ p["W_h"]
            dr = drow[:, :H] * h
            dh_prev = dh_prev + drow[:, :H] * r
        else:
            da = dh * (g - h) * z * (1 - z) if k == "z" else dr * r * (1 - r)
            row = np.c_[h, x]
            drow = da @ p["W_" + k]
            dh_prev = dh_prev + drow[:, :H]
        dx = dx + drow[:, H:]
        grads["W_" + k], grads["b_" + k] = da.T @ row, da.sum(axis=0)
    return dx, dh_prev, grads
