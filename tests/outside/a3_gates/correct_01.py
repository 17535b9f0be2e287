"""Gates, the short way."""

import numpy as np
import torch
from torch import nn


def sigmoid(a):
    return 0.5 * (1 + np.tanh(0.5 * a))


def gated_update(h_prev, candidate, z):
    return (1 - z) * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    row = np.concatenate([h_prev, x_t], axis=-1)
    f, i, o = (sigmoid(row @ params["W_" + g].T + params["b_" + g]) for g in "fio")
    return f, i, o, np.tanh(row @ params["W_c"].T + params["b_c"])


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    return o * np.tanh(c_t), c_t


def lstm_forward(x, h0, c0, params):
    hs, cs, h, c = [], [], h0, c0
    for t in range(x.shape[1]):
        h, c = lstm_step(x[:, t], h, c, params)
        hs.append(h)
        cs.append(c)
    return np.stack(hs, 1), np.stack(cs, 1)


def lstm_step_backward(dh, dc, cache):
    x_t, h_prev, c_prev = cache["x_t"], cache["h_prev"], cache["c_prev"]
    f, i, o, c_tilde, c_t, params = (cache[k] for k in ("f", "i", "o", "c_tilde", "c_t", "params"))
    H = h_prev.shape[1]
    row = np.concatenate([h_prev, x_t], axis=1)
    tc = np.tanh(c_t)
    dc = dc + dh * o * (1 - tc**2)
    da = {
        "f": dc * c_prev * f * (1 - f),
        "i": dc * c_tilde * i * (1 - i),
        "o": dh * tc * o * (1 - o),
        "c": dc * i * (1 - c_tilde**2),
    }
    drow = sum(da[g] @ params["W_" + g] for g in da)
    grads = {}
    for g in da:
        grads["W_" + g] = da[g].T @ row
        grads["b_" + g] = da[g].sum(0)
    return drow[:, H:], drow[:, :H], dc * f, grads


def lstm_backward(dh, dc, cache):
    x, h0, c0, h, c = (cache[k] for k in ("x", "h0", "c0", "h", "c"))
    T = x.shape[1]
    dx = np.zeros(x.shape)
    grads = {k: np.zeros(v.shape) for k, v in cache["params"].items()}
    dh_next, dc_next = np.zeros(h0.shape), np.zeros(c0.shape)
    for t in reversed(range(T)):
        step = {k: cache[k][:, t] for k in ("f", "i", "o", "c_tilde")}
        step["x_t"], step["c_t"], step["params"] = x[:, t], c[:, t], cache["params"]
        step["h_prev"] = h[:, t - 1] if t else h0
        step["c_prev"] = c[:, t - 1] if t else c0
        dx[:, t], dh_next, dc_next, g = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, step)
        for k in grads:
            grads[k] += g[k]
    return dx, dh_next, dc_next, grads


def _gru_parts(x_t, h_prev, params):
    row = np.concatenate([h_prev, x_t], axis=-1)
    z = sigmoid(row @ params["W_z"].T + params["b_z"])
    r = sigmoid(row @ params["W_r"].T + params["b_r"])
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=-1) @ params["W_h"].T + params["b_h"])
    return z, r, h_tilde


def gru_step(x_t, h_prev, params):
    z, r, h_tilde = _gru_parts(x_t, h_prev, params)
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t, h_prev, params):
    z, r, h_tilde = _gru_parts(x_t, h_prev, params)
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params):
    return {k: -v if k in ("W_z", "b_z") else v.copy() for k, v in params.items()}


def gru_step_backward(dh, cache):
    x_t, h_prev, z, r, h_tilde, params = (cache[k] for k in ("x_t", "h_prev", "z", "r", "h_tilde", "params"))
    H = h_prev.shape[1]
    row = np.concatenate([h_prev, x_t], 1)
    row_r = np.concatenate([r * h_prev, x_t], 1)
    da_h = dh * z * (1 - h_tilde**2)
    d_row_r = da_h @ params["W_h"]
    da_z = dh * (h_tilde - h_prev) * z * (1 - z)
    da_r = d_row_r[:, :H] * h_prev * r * (1 - r)
    d_row = da_z @ params["W_z"] + da_r @ params["W_r"]
    dh_prev = dh * (1 - z) + d_row_r[:, :H] * r + d_row[:, :H]
    dx = d_row_r[:, H:] + d_row[:, H:]
    grads = {
        "W_z": da_z.T @ row, "W_r": da_r.T @ row, "W_h": da_h.T @ row_r,
        "b_z": da_z.sum(0), "b_r": da_r.sum(0), "b_h": da_h.sum(0),
    }
    return dx, dh_prev, grads


def _run(x, layer):
    h, out = layer["h0"], []
    for t in range(x.shape[1]):
        h = np.tanh(h @ layer["W_h"].T + x[:, t] @ layer["W_x"].T + layer["b"])
        out.append(h)
    return np.stack(out, 1)


def stacked_forward(x, layers):
    for layer in layers:
        x = _run(x, layer)
    return x


def bidirectional_forward(x, lengths, forward, backward):
    B, T, _ = x.shape
    out = np.zeros((B, T, len(forward["b"]) + len(backward["b"])))
    for n, L in enumerate(lengths):
        row = x[n : n + 1, :L]
        fwd = _run(row, {**forward, "h0": forward["h0"][n : n + 1]})
        bwd = _run(row[:, ::-1], {**backward, "h0": backward["h0"][n : n + 1]})[:, ::-1]
        out[n, :L] = np.concatenate([fwd, bwd], -1)[0]
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
            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)
            state = (zeros, zeros)
        h, c = state
        i, f, g, o = (x_t @ self.weight_ih.T + self.bias_ih + h @ self.weight_hh.T + self.bias_hh).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


def quiz() -> dict[str, str]:
    answers = {
        "erase_write_reveal": "c",
        "what_the_cell_buys": "a",
        "why_forget_bias": "b",
        "gru_against_lstm": "d",
        "what_reset_does": "b",
        "how_many_weights": "c",
        "when_bidirectional": "c",
        "open_and_closed": "d",
    }
    return answers
