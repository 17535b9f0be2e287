"""Gates, with einsum and a few small classes."""

import numpy as np
import torch
from torch import nn


class Gate:
    """One affine map of [h; x] and what comes after it."""

    def __init__(self, params, name, squash):
        self.W = params["W_" + name]
        self.b = params["b_" + name]
        self.squash = squash

    def __call__(self, h, x):
        row = np.concatenate((h, x), axis=-1)
        return self.squash(np.einsum("nr,hr->nh", row, self.W) + self.b)


def sig(a):
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-a))


def gated_update(h_prev, candidate, z):
    keep = np.subtract(1.0, z)
    return keep * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    f = Gate(params, "f", sig)(h_prev, x_t)
    i = Gate(params, "i", sig)(h_prev, x_t)
    o = Gate(params, "o", sig)(h_prev, x_t)
    c_tilde = Gate(params, "c", np.tanh)(h_prev, x_t)
    return f, i, o, c_tilde


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev
    c_t += i * c_tilde
    return o * np.tanh(c_t), c_t


def lstm_forward(x, h0, c0, params):
    n, time, _ = x.shape
    h = np.zeros((time + 1, n, h0.shape[1]))
    c = np.zeros((time + 1, n, c0.shape[1]))
    h[0], c[0] = h0, c0
    for t in range(time):
        h[t + 1], c[t + 1] = lstm_step(x[:, t], h[t], c[t], params)
    return h[1:].transpose(1, 0, 2), c[1:].transpose(1, 0, 2)


def back_through_affine(da, row, W):
    """For a = row @ W.T + b: what reaches row, W and b."""
    return np.einsum("nh,hr->nr", da, W), np.einsum("nh,nr->hr", da, row), np.einsum("nh->h", da)


def lstm_step_backward(dh, dc, cache):
    p = cache["params"]
    hidden = cache["h_prev"].shape[-1]
    row = np.concatenate((cache["h_prev"], cache["x_t"]), axis=-1)
    t = np.tanh(cache["c_t"])
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    total_dc = dh * o * (1 - t * t) + dc
    before_squash = dict(
        f=total_dc * cache["c_prev"] * (f - f * f),
        i=total_dc * g * (i - i * i),
        o=dh * t * (o - o * o),
        c=total_dc * i * (1 - g * g),
    )
    grads, d_row = {}, np.zeros(row.shape)
    for name, da in before_squash.items():
        d, grads["W_" + name], grads["b_" + name] = back_through_affine(da, row, p["W_" + name])
        d_row += d
    dh_prev, dx = d_row[:, :hidden], d_row[:, hidden:]
    return dx, dh_prev, total_dc * f, grads


def lstm_backward(dh, dc, cache):
    time = cache["x"].shape[1]
    h = [cache["h0"], *np.moveaxis(cache["h"], 1, 0)]
    c = [cache["c0"], *np.moveaxis(cache["c"], 1, 0)]
    carried_h = carried_c = 0.0
    dx, total = [None] * time, None
    for t in range(time - 1, -1, -1):
        step = {key: cache[key][:, t] for key in ("f", "i", "o", "c_tilde")}
        step.update(x_t=cache["x"][:, t], h_prev=h[t], c_prev=c[t], c_t=c[t + 1], params=cache["params"])
        dx[t], carried_h, carried_c, g = lstm_step_backward(dh[:, t] + carried_h, dc[:, t] + carried_c, step)
        total = g if total is None else {k: total[k] + g[k] for k in g}
    return np.stack(dx, axis=1), carried_h, carried_c, total


def gru_step(x_t, h_prev, params):
    z = Gate(params, "z", sig)(h_prev, x_t)
    r = Gate(params, "r", sig)(h_prev, x_t)
    h_tilde = Gate(params, "h", np.tanh)(r * h_prev, x_t)
    return gated_update(h_prev=h_prev, candidate=h_tilde, z=z)


def gru_step_keep(x_t, h_prev, params):
    z = Gate(params, "z", sig)(h_prev, x_t)
    r = Gate(params, "r", sig)(h_prev, x_t)
    h_tilde = Gate(params, "h", np.tanh)(r * h_prev, x_t)
    return gated_update(h_prev=h_tilde, candidate=h_prev, z=z)


def convert_gru(params):
    converted = dict(params)
    converted["W_z"] = -params["W_z"]
    converted["b_z"] = -params["b_z"]
    return converted


def gru_step_backward(dh, cache):
    x, h, z, r, cand, p = (cache[k] for k in ("x_t", "h_prev", "z", "r", "h_tilde", "params"))
    hidden = h.shape[-1]
    grads = {}
    # candidate
    row_h = np.concatenate((r * h, x), axis=-1)
    d_row_h, grads["W_h"], grads["b_h"] = back_through_affine(dh * z * (1 - cand * cand), row_h, p["W_h"])
    d_rh = d_row_h[:, :hidden]
    # gates
    row = np.concatenate((h, x), axis=-1)
    d_row_z, grads["W_z"], grads["b_z"] = back_through_affine(dh * (cand - h) * (z - z * z), row, p["W_z"])
    d_row_r, grads["W_r"], grads["b_r"] = back_through_affine(d_rh * h * (r - r * r), row, p["W_r"])
    # everybody who read h, and everybody who read x
    dh_prev = dh - dh * z + r * d_rh + d_row_z[:, :hidden] + d_row_r[:, :hidden]
    dx = d_row_h[:, hidden:] + d_row_z[:, hidden:] + d_row_r[:, hidden:]
    return dx, dh_prev, grads


def rnn(layer):
    """Make the step function of a layer."""

    def step(h, x_t):
        return np.tanh(np.einsum("nj,ij->ni", h, layer["W_h"]) + np.einsum("nf,if->ni", x_t, layer["W_x"]) + layer["b"])

    return step


def stacked_forward(x, layers):
    if not layers:
        return x
    bottom, *rest = layers
    step, h, states = rnn(bottom), bottom["h0"], []
    for t in range(x.shape[1]):
        h = step(h, x[:, t])
        states.append(h)
    return stacked_forward(np.stack(states, axis=1), rest)


def bidirectional_forward(x, lengths, forward, backward):
    n, time, _ = x.shape
    real = np.arange(time) < np.asarray(lengths).reshape(-1, 1)
    left = np.zeros((n, time, forward["h0"].shape[1]))
    right = np.zeros((n, time, backward["h0"].shape[1]))
    step_l, step_r = rnn(forward), rnn(backward)
    h = forward["h0"]
    for t in range(time):
        h = step_l(h, x[:, t])
        left[:, t] = h
    h = backward["h0"]
    for t in reversed(range(time)):
        # rows that have not begun yet stay where they are
        h = np.where(real[:, t, None], step_r(h, x[:, t]), h)
        right[:, t] = h
    out = np.concatenate((left, right), axis=-1)
    out[~real] = 0
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
        n = x_t.shape[0]
        h, c = state if state is not None else (x_t.new_zeros(n, self.hidden_size),) * 2
        sums = torch.einsum("nf,gf->ng", x_t, self.weight_ih) + torch.einsum("nh,gh->ng", h, self.weight_hh)
        sums = (sums + self.bias_ih + self.bias_hh).view(n, 4, self.hidden_size)
        gates = torch.sigmoid(sums)
        i, f, o = gates[:, 0], gates[:, 1], gates[:, 3]
        c_t = f * c + i * torch.tanh(sums[:, 2])
        return o * torch.tanh(c_t), c_t


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
