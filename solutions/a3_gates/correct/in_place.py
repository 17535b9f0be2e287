"""Saves memory by working in place, on arrays of its own."""

import numpy as np
import torch


def gated_update(h_prev, candidate, z):
    h = candidate - h_prev
    h *= z
    h += h_prev
    return h


def lstm_gates(x_t, h_prev, params):
    row = np.empty((len(x_t), h_prev.shape[1] + x_t.shape[1]))
    row[:, : h_prev.shape[1]] = h_prev
    row[:, h_prev.shape[1] :] = x_t
    gates = []
    for gate in "fio":
        a = row @ params[f"W_{gate}"].T
        a += params[f"b_{gate}"]
        np.negative(a, out=a)
        np.exp(a, out=a)
        a += 1.0
        np.reciprocal(a, out=a)
        gates.append(a)
    a = row @ params["W_c"].T
    a += params["b_c"]
    np.tanh(a, out=a)
    return (*gates, a)


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, g = lstm_gates(x_t, h_prev, params)
    f *= c_prev
    i *= g
    f += i
    np.tanh(f, out=g)
    o *= g
    return o, f


def lstm_forward(x, h0, c0, params):
    N, T, _ = x.shape
    h, c = np.zeros((N, T + 1, h0.shape[1])), np.zeros((N, T + 1, h0.shape[1]))
    h[:, 0], c[:, 0] = h0, c0
    for t in range(T):
        h[:, t + 1], c[:, t + 1] = lstm_step(x[:, t], h[:, t], c[:, t], params)
    return h[:, 1:], c[:, 1:]


def lstm_backward(dh, dc, cache):
    cache, dh, dc = dict(cache), dh.copy(), dc.copy()
    h = np.concatenate([cache["h0"][:, None], cache["h"]], axis=1)
    c = np.concatenate([cache["c0"][:, None], cache["c"]], axis=1)
    grads = {name: np.zeros_like(value) for name, value in cache["params"].items()}
    dx = np.zeros_like(cache["x"])
    for t in range(dh.shape[1] - 1, -1, -1):
        step = {"x_t": cache["x"][:, t], "h_prev": h[:, t], "c_prev": c[:, t], "c_t": c[:, t + 1]}
        step.update({name: cache[name][:, t] for name in ("f", "i", "o", "c_tilde")}, params=cache["params"])
        dx[:, t], dh_back, dc_back, now = lstm_step_backward(dh[:, t], dc[:, t], step)
        for name, grad in now.items():
            grads[name] += grad
        if t:
            dh[:, t - 1] += dh_back
            dc[:, t - 1] += dc_back
    return dx, dh_back, dc_back, grads


def convert_gru(params):
    converted = {name: value.copy() for name, value in params.items()}
    np.negative(converted["W_z"], out=converted["W_z"])
    np.negative(converted["b_z"], out=converted["b_z"])
    return converted


def stacked_forward(x, layers):
    for layer in layers:
        h = np.empty((*x.shape[:2], len(layer["b"])))
        for t in range(x.shape[1]):
            np.matmul(h[:, t - 1] if t else layer["h0"], layer["W_h"].T, out=h[:, t])
            h[:, t] += x[:, t] @ layer["W_x"].T
            h[:, t] += layer["b"]
            np.tanh(h[:, t], out=h[:, t])
        x = h
    return x


def bidirectional_forward(x, lengths, forward, backward):
    x = x.copy()
    turned = x.copy()
    for n, length in enumerate(lengths):
        turned[n, :length] = x[n, :length][::-1]
    right, left = stacked_forward(x, [forward]), stacked_forward(turned, [backward])
    for n, length in enumerate(lengths):
        left[n, :length] = left[n, :length][::-1].copy()
        left[n, length:] = 0.0
        right[n, length:] = 0.0
    return np.dstack([right, left])


class LSTMCell(LSTMCell):
    def forward(self, x_t, state=None):
        H = self.hidden_size
        h, c = (x_t.new_zeros(len(x_t), H), x_t.new_zeros(len(x_t), H)) if state is None else state
        a = torch.addmm(self.bias_ih, x_t, self.weight_ih.t())
        a += torch.addmm(self.bias_hh, h, self.weight_hh.t())
        i, f, o = (a[:, k * H : (k + 1) * H].sigmoid() for k in (0, 1, 3))
        c = torch.addcmul(f * c, i, a[:, 2 * H : 3 * H].tanh())
        return o * c.tanh(), c
