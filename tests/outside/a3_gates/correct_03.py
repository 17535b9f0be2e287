"""LSTM and GRU with all gates in one product."""

import numpy as np
import torch
from torch import nn

GATES = ("f", "i", "o", "c")


def logistic(a):
    return np.exp(-np.logaddexp(0.0, -a))


def pack(params, names):
    W = np.vstack([params["W_" + n] for n in names])
    b = np.hstack([params["b_" + n] for n in names])
    return W, b


def unpack(dW, db, names):
    grads = {}
    for n, w_part, b_part in zip(names, np.split(dW, len(names)), np.split(db, len(names))):
        grads["W_" + n] = w_part
        grads["b_" + n] = b_part
    return grads


def gated_update(h_prev, candidate, z):
    return np.multiply(1 - z, h_prev) + np.multiply(z, candidate)


def lstm_gates(x_t, h_prev, params):
    W, b = pack(params, GATES)
    sums = np.hstack((h_prev, x_t)) @ W.T + b
    a_f, a_i, a_o, a_c = np.split(sums, 4, axis=1)
    return logistic(a_f), logistic(a_i), logistic(a_o), np.tanh(a_c)


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t=x_t, h_prev=h_prev, params=params)
    c_t = np.add(f * c_prev, i * c_tilde)
    return np.multiply(o, np.tanh(c_t)), c_t


def lstm_forward(x, h0, c0, params):
    states = [(h0, c0)]
    for x_t in x.swapaxes(0, 1):
        states.append(lstm_step(x_t, *states[-1], params))
    h, c = zip(*states[1:])
    return np.array(h).swapaxes(0, 1), np.array(c).swapaxes(0, 1)


def _da(dh, dc_t, c_prev, f, i, o, c_tilde, tanh_c):
    """Gradients of the four sums side by side, and dc_prev."""
    dc_all = dc_t + dh * o * (1 - np.square(tanh_c))
    d_gates = np.hstack([dc_all * c_prev, dc_all * c_tilde, dh * tanh_c, dc_all * i])
    s = np.hstack([f, i, o])
    slopes = np.hstack([s * (1 - s), 1 - np.square(c_tilde)])
    return d_gates * slopes, dc_all * f


def lstm_step_backward(dh, dc, cache):
    h_prev, params = cache["h_prev"], cache["params"]
    hidden = h_prev.shape[1]
    da, dc_prev = _da(
        dh, dc, cache["c_prev"], cache["f"], cache["i"], cache["o"], cache["c_tilde"], np.tanh(cache["c_t"])
    )
    W, _ = pack(params, GATES)
    d_row = da @ W
    row = np.hstack([h_prev, cache["x_t"]])
    grads = unpack(da.T @ row, da.sum(axis=0), GATES)
    return d_row[:, hidden:], d_row[:, :hidden], dc_prev, grads


def lstm_backward(dh, dc, cache):
    x, h0, c0, h, c, params = (cache[key] for key in ("x", "h0", "c0", "h", "c", "params"))
    batch, time, _ = x.shape
    hidden = h0.shape[1]
    W, _ = pack(params, GATES)
    h_before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    c_before = np.concatenate([c0[:, None], c[:, :-1]], axis=1)
    tanh_c = np.tanh(c)
    da = np.zeros((batch, time, 4 * hidden))
    dh_carry, dc_carry = np.zeros((batch, hidden)), np.zeros((batch, hidden))
    for t in range(time)[::-1]:
        gates = [cache[g][:, t] for g in ("f", "i", "o", "c_tilde")]
        da[:, t], dc_carry = _da(dh[:, t] + dh_carry, dc[:, t] + dc_carry, c_before[:, t], *gates, tanh_c[:, t])
        dh_carry = da[:, t] @ W[:, :hidden]
    rows = np.concatenate([h_before, x], axis=2)
    grads = unpack(np.einsum("nta,ntr->ar", da, rows), da.sum(axis=(0, 1)), GATES)
    return da @ W[:, hidden:], dh_carry, dc_carry, grads


def gru_step(x_t, h_prev, params):
    W, b = pack(params, ("z", "r"))
    z, r = np.split(logistic(np.hstack([h_prev, x_t]) @ W.T + b), 2, axis=1)
    h_tilde = np.tanh(np.hstack([r * h_prev, x_t]) @ params["W_h"].T + params["b_h"])
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t, h_prev, params):
    return gru_step(x_t, h_prev, convert_gru(params))


def convert_gru(params):
    turned = {"W_z", "b_z"}
    return {name: np.negative(p) if name in turned else np.copy(p) for name, p in params.items()}


def gru_step_backward(dh, cache):
    x_t, h_prev, z, r, h_tilde = (cache[key] for key in ("x_t", "h_prev", "z", "r", "h_tilde"))
    params, hidden = cache["params"], cache["h_prev"].shape[1]

    da_h = dh * z * (1 - np.square(h_tilde))
    d_state_reset, dx_h = np.split(da_h @ params["W_h"], [hidden], axis=1)

    gates = np.hstack([z, r])
    da = np.hstack([dh * (h_tilde - h_prev), d_state_reset * h_prev]) * gates * (1 - gates)
    W, _ = pack(params, ("z", "r"))
    dh_gates, dx_gates = np.split(da @ W, [hidden], axis=1)

    grads = unpack(da.T @ np.hstack([h_prev, x_t]), da.sum(axis=0), ("z", "r"))
    grads["W_h"] = da_h.T @ np.hstack([r * h_prev, x_t])
    grads["b_h"] = da_h.sum(axis=0)
    return dx_h + dx_gates, dh * (1 - z) + d_state_reset * r + dh_gates, grads


def layer_states(x, W_h, W_x, b, h0):
    drive = np.tensordot(x, W_x, axes=(2, 1)) + b
    h = np.empty(drive.shape)
    for t in range(drive.shape[1]):
        h[:, t] = np.tanh(drive[:, t] + (h0 if t == 0 else h[:, t - 1]) @ W_h.T)
    return h


def stacked_forward(x, layers):
    below = x
    for layer in layers:
        below = layer_states(below, **layer)
    return below


def bidirectional_forward(x, lengths, forward, backward):
    time = x.shape[1]
    lengths = np.asarray(lengths)[:, None]
    positions = np.arange(time)[None, :]
    real = positions < lengths
    # within its length each row is turned round, behind it nothing is moved
    turn = np.where(real, lengths - 1 - positions, positions)[:, :, None]
    left = layer_states(x, **forward)
    right = layer_states(np.take_along_axis(x, turn, axis=1), **backward)
    right = np.take_along_axis(right, turn, axis=1)
    both = np.concatenate([left, right], axis=2)
    return np.where(real[:, :, None], both, 0.0)


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
            h_prev = c_prev = x_t.new_zeros((len(x_t), self.hidden_size))
        else:
            h_prev, c_prev = state
        row = torch.cat([x_t, h_prev], dim=1)
        weight = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        sums = torch.addmm(self.bias_ih + self.bias_hh, row, weight.t())
        i, f, g, o = torch.split(sums, self.hidden_size, dim=1)
        c_t = f.sigmoid().mul(c_prev).add(i.sigmoid().mul(g.tanh()))
        return o.sigmoid().mul(c_t.tanh()), c_t


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
