"""All gates in one matrix product, as libraries do it: the weights are concatenated first, and the result is cut."""

import numpy as np
import torch


def _pack(params, gates):
    W = np.concatenate([params[f"W_{g}"] for g in gates])
    b = np.concatenate([params[f"b_{g}"] for g in gates])
    return W, b


def _unpack(W, b, gates):
    pairs = zip(gates, np.split(W, len(gates)), np.split(b, len(gates)))
    return {name: part for g, W_g, b_g in pairs for name, part in ((f"W_{g}", W_g), (f"b_{g}", b_g))}


def _logistic(a):
    return 1.0 / (1.0 + np.exp(-a))


def lstm_gates(x_t, h_prev, params):
    W, b = _pack(params, "fioc")
    sums = np.hstack([h_prev, x_t]) @ W.T + b
    hidden = h_prev.shape[1]
    gates = _logistic(sums[:, : 3 * hidden])
    return (*np.split(gates, 3, axis=1), np.tanh(sums[:, 3 * hidden :]))


def lstm_forward(x, h0, c0, params):
    W, b = _pack(params, "ifoc")
    N, T, _ = x.shape
    H = h0.shape[1]
    W_h, W_x = W[:, :H], W[:, H:]
    from_input = x @ W_x.T + b  # of all steps at once
    h, c = np.empty((N, T, H)), np.empty((N, T, H))
    prev_h, prev_c = h0, c0
    for t in range(T):
        i, f, o, g = np.split(from_input[:, t] + prev_h @ W_h.T, 4, axis=1)
        prev_c = _logistic(f) * prev_c + _logistic(i) * np.tanh(g)
        prev_h = _logistic(o) * np.tanh(prev_c)
        h[:, t], c[:, t] = prev_h, prev_c
    return h, c


def lstm_step_backward(dh, dc, cache):
    H = cache["h_prev"].shape[1]
    W, _ = _pack(cache["params"], "ifoc")
    i, f, o, g = cache["i"], cache["f"], cache["o"], cache["c_tilde"]
    tanh_c = np.tanh(cache["c_t"])
    dc = dc + dh * o * (1 - tanh_c * tanh_c)
    da = np.hstack(
        [dc * g * i * (1 - i), dc * cache["c_prev"] * f * (1 - f), dh * tanh_c * o * (1 - o), dc * i * (1 - g * g)]
    )
    row = np.hstack([cache["h_prev"], cache["x_t"]])
    drow = da @ W
    return drow[:, H:], drow[:, :H], dc * f, _unpack(da.T @ row, da.sum(0), "ifoc")


def gru_step(x_t, h_prev, params):
    W, b = _pack(params, "zr")
    z, r = np.split(
        _logistic(
            np.hstack([h_prev, x_t]) @ W.T + b,
        ),
        2,
        axis=1,
    )
    h_tilde = np.tanh(np.hstack([r * h_prev, x_t]) @ params["W_h"].T + params["b_h"])
    return h_prev + z * (h_tilde - h_prev)


def gru_step_keep(x_t, h_prev, params):
    W, b = _pack(params, "zr")
    z, r = np.split(_logistic(np.hstack([h_prev, x_t]) @ W.T + b), 2, axis=1)
    h_tilde = np.tanh(np.hstack([r * h_prev, x_t]) @ params["W_h"].T + params["b_h"])
    return h_tilde + z * (h_prev - h_tilde)


class LSTMCell(LSTMCell):
    def forward(self, x_t, state=None):
        if state is None:
            state = torch.zeros(2, x_t.shape[0], self.hidden_size, device=x_t.device)
        h, c = state
        weight = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        gates = torch.nn.functional.linear(torch.cat([x_t, h], dim=1), weight, self.bias_ih + self.bias_hh)
        i, f, g, o = gates.split(self.hidden_size, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return [o.sigmoid() * c.tanh(), c]
