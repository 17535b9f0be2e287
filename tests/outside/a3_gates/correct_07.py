"""Assignment 3: gates. A helper for each part that comes back."""

import numpy as np
import torch
from torch import nn


def sigmoid(a):
    # tanh never overflows
    return 0.5 * (1 + np.tanh(0.5 * a))


def affine(row, W, b):
    return row @ W.T + b


def gated_update(h_prev, candidate, z):
    return (1 - z) * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    row = np.concatenate([h_prev, x_t], axis=1)
    f = sigmoid(affine(row, params["W_f"], params["b_f"]))
    i = sigmoid(affine(row, params["W_i"], params["b_i"]))
    o = sigmoid(affine(row, params["W_o"], params["b_o"]))
    c_tilde = np.tanh(affine(row, params["W_c"], params["b_c"]))
    return f, i, o, c_tilde


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    h_t = o * np.tanh(c_t)
    return h_t, c_t


def lstm_forward(x, h0, c0, params):
    batch, time, _ = x.shape
    h = np.zeros((batch, time, h0.shape[1]))
    c = np.zeros((batch, time, h0.shape[1]))
    h_t, c_t = h0, c0
    for t in range(time):
        h_t, c_t = lstm_step(x[:, t], h_t, c_t, params)
        h[:, t] = h_t
        c[:, t] = c_t
    return h, c


def lstm_step_backward(dh, dc, cache):
    x_t, h_prev, c_prev = cache["x_t"], cache["h_prev"], cache["c_prev"]
    f, i, o, c_tilde, c_t = cache["f"], cache["i"], cache["o"], cache["c_tilde"], cache["c_t"]
    params = cache["params"]
    hidden = h_prev.shape[1]

    tanh_c = np.tanh(c_t)
    do = dh * tanh_c
    dc_all = dc + dh * o * (1 - tanh_c**2)
    df = dc_all * c_prev
    di = dc_all * c_tilde
    dc_tilde = dc_all * i
    dc_prev = dc_all * f

    da = {
        "f": df * f * (1 - f),
        "i": di * i * (1 - i),
        "o": do * o * (1 - o),
        "c": dc_tilde * (1 - c_tilde**2),
    }
    row = np.concatenate([h_prev, x_t], axis=1)
    grads = {}
    drow = np.zeros(row.shape)
    for gate, d in da.items():
        grads["W_" + gate] = d.T @ row
        grads["b_" + gate] = d.sum(axis=0)
        drow += d @ params["W_" + gate]
    return drow[:, hidden:], drow[:, :hidden], dc_prev, grads


def lstm_backward(dh, dc, cache):
    x, h, c = cache["x"], cache["h"], cache["c"]
    time = x.shape[1]
    dx = np.zeros(x.shape)
    dh_next = np.zeros(cache["h0"].shape)
    dc_next = np.zeros(cache["c0"].shape)
    grads = {name: np.zeros(p.shape) for name, p in cache["params"].items()}
    for t in reversed(range(time)):
        step = {name: cache[name][:, t] for name in ("f", "i", "o", "c_tilde")}
        step["x_t"] = x[:, t]
        step["h_prev"] = h[:, t - 1] if t > 0 else cache["h0"]
        step["c_prev"] = c[:, t - 1] if t > 0 else cache["c0"]
        step["c_t"] = c[:, t]
        step["params"] = cache["params"]
        dx[:, t], dh_next, dc_next, step_grads = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, step)
        for name in grads:
            grads[name] += step_grads[name]
    return dx, dh_next, dc_next, grads


def gru_gates(x_t, h_prev, params):
    row = np.concatenate([h_prev, x_t], axis=1)
    z = sigmoid(affine(row, params["W_z"], params["b_z"]))
    r = sigmoid(affine(row, params["W_r"], params["b_r"]))
    h_tilde = np.tanh(affine(np.concatenate([r * h_prev, x_t], axis=1), params["W_h"], params["b_h"]))
    return z, r, h_tilde


def gru_step(x_t, h_prev, params):
    z, r, h_tilde = gru_gates(x_t, h_prev, params)
    return (1 - z) * h_prev + z * h_tilde


def gru_step_keep(x_t, h_prev, params):
    z, r, h_tilde = gru_gates(x_t, h_prev, params)
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params):
    converted = {name: p.copy() for name, p in params.items()}
    converted["W_z"] = -params["W_z"]
    converted["b_z"] = -params["b_z"]
    return converted


def gru_step_backward(dh, cache):
    x_t, h_prev, z, r, h_tilde = (cache[k] for k in ("x_t", "h_prev", "z", "r", "h_tilde"))
    params = cache["params"]
    hidden = h_prev.shape[1]
    row = np.concatenate([h_prev, x_t], axis=1)
    row_r = np.concatenate([r * h_prev, x_t], axis=1)

    dz = dh * (h_tilde - h_prev)
    dh_tilde = dh * z
    da_h = dh_tilde * (1 - h_tilde**2)
    drow_r = da_h @ params["W_h"]
    dr = drow_r[:, :hidden] * h_prev
    da_z = dz * z * (1 - z)
    da_r = dr * r * (1 - r)
    drow = da_z @ params["W_z"] + da_r @ params["W_r"]

    dh_prev = dh * (1 - z) + drow_r[:, :hidden] * r + drow[:, :hidden]
    dx = drow_r[:, hidden:] + drow[:, hidden:]
    grads = {
        "W_z": da_z.T @ row,
        "W_r": da_r.T @ row,
        "W_h": da_h.T @ row_r,
        "b_z": da_z.sum(axis=0),
        "b_r": da_r.sum(axis=0),
        "b_h": da_h.sum(axis=0),
    }
    return dx, dh_prev, grads


def run_layer(x, layer):
    state = layer["h0"]
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ layer["W_x"].T + state @ layer["W_h"].T + layer["b"])
        states.append(state)
    return np.stack(states, axis=1)


def stacked_forward(x, layers):
    for layer in layers:
        x = run_layer(x, layer)
    return x


def bidirectional_forward(x, lengths, forward, backward):
    batch, time, _ = x.shape
    turned = np.zeros(x.shape)
    for n in range(batch):
        turned[n, : lengths[n]] = x[n, : lengths[n]][::-1]
    ahead = run_layer(x, forward)
    back = run_layer(turned, backward)
    out = np.zeros((batch, time, ahead.shape[2] + back.shape[2]))
    for n in range(batch):
        L = lengths[n]
        out[n, :L] = np.concatenate([ahead[n, :L], back[n, :L][::-1]], axis=1)
    return out


class LSTMCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int, forget_bias: float = 1.0) -> None:
        super().__init__()
        bound = hidden_size**-0.5
        self.hidden_size = hidden_size
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size).uniform_(-bound, bound))
        self.bias_ih = nn.Parameter(torch.zeros(4 * hidden_size))
        self.bias_hh = nn.Parameter(torch.zeros(4 * hidden_size))
        with torch.no_grad():
            self.bias_ih[hidden_size : 2 * hidden_size] = forget_bias

    def forward(self, x_t, state=None):
        if state is None:
            h_prev = x_t.new_zeros(x_t.shape[0], self.hidden_size)
            c_prev = x_t.new_zeros(x_t.shape[0], self.hidden_size)
        else:
            h_prev, c_prev = state
        a = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh
        i, f, g, o = a.chunk(4, dim=1)
        c_t = torch.sigmoid(f) * c_prev + torch.sigmoid(i) * torch.tanh(g)
        h_t = torch.sigmoid(o) * torch.tanh(c_t)
        return h_t, c_t


def debugging_lab():
    return {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "c", "run_5": "d"}


def quiz():
    return {
        "what_the_cell_buys": "a",
        "what_reset_does": "b",
        "when_bidirectional": "a",
        "open_and_closed": "a",
        "how_many_weights": "a",
        "kept_in_the_cell": "a",
        "untrained_gate": "a",
        "update_share": "a",
    }
