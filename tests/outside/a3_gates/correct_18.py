"""Gates with packed weights: one product for all of them, and one for all of their gradients."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

LSTM_GATES = ("f", "i", "o", "c")


def sigma(a):
    return 0.5 * (1 + np.tanh(0.5 * a))


def pack(params, gates):
    """Matrices one below the other, and their biases."""
    return np.concatenate([params["W_" + g] for g in gates]), np.concatenate([params["b_" + g] for g in gates])


def unpack(dW, db, gates):
    """Cut gradients of packed params apart again."""
    Ws, bs = np.split(dW, len(gates)), np.split(db, len(gates))
    return {f"W_{g}": W for g, W in zip(gates, Ws)} | {f"b_{g}": b for g, b in zip(gates, bs)}


def gated_update(h_prev, candidate, z):
    return h_prev * (1 - z) + candidate * z


def _lstm_gates(x_t, h_prev, W, b):
    H = h_prev.shape[-1]
    a = h_prev @ W[:, :H].T + x_t @ W[:, H:].T + b
    f, i, o = np.split(sigma(a[:, : 3 * H]), 3, axis=1)
    return f, i, o, np.tanh(a[:, 3 * H :])


def lstm_gates(x_t, h_prev, params):
    return _lstm_gates(x_t, h_prev, *pack(params, LSTM_GATES))


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, g = lstm_gates(x_t, h_prev, params)
    c = f * c_prev + i * g
    return o * np.tanh(c), c


def lstm_forward(x, h0, c0, params):
    W, b = pack(params, LSTM_GATES)
    N, T, _ = x.shape
    h, c = np.empty((T + 1, N, h0.shape[1])), np.empty((T + 1, N, h0.shape[1]))
    h[0], c[0] = h0, c0
    for t in range(T):
        f, i, o, g = _lstm_gates(x[:, t], h[t], W, b)
        c[t + 1] = f * c[t] + i * g
        h[t + 1] = o * np.tanh(c[t + 1])
    return h[1:].swapaxes(0, 1), c[1:].swapaxes(0, 1)


class Slopes(NamedTuple):
    """Local derivatives of an LSTM step, of the shape of a state each (or with a time axis before the last)."""

    h_to_c: np.ndarray  # dh_t / dc_t
    h_to_o: np.ndarray  # dh_t / da_o
    c_to_fig: np.ndarray  # dc_t / d(a_f, a_i, a_c), one after the other on the last axis
    f: np.ndarray


def slopes(f, i, o, g, c_prev, c):
    s = np.tanh(c)
    fig = np.concatenate([c_prev * f * (1 - f), g * i * (1 - i), i * (1 - g**2)], axis=-1)
    return Slopes(o * (1 - s**2), s * o * (1 - o), fig, f)


def through_step(dh, dc, s):
    """Return the gradient of the packed sums, in the order f, i, o, c, and that of c_prev."""
    total = dc + dh * s.h_to_c
    df, di, dg = np.split(np.tile(total, 3) * s.c_to_fig, 3, axis=-1)
    return np.concatenate([df, di, dh * s.h_to_o, dg], axis=-1), total * s.f


def lstm_step_backward(dh, dc, cache):
    W, _ = pack(cache["params"], LSTM_GATES)
    s = slopes(cache["f"], cache["i"], cache["o"], cache["c_tilde"], cache["c_prev"], cache["c_t"])
    da, dc_prev = through_step(dh, dc, s)
    H = dh.shape[1]
    dW = np.concatenate([da.T @ cache["h_prev"], da.T @ cache["x_t"]], axis=1)
    back = da @ W
    return back[:, H:], back[:, :H], dc_prev, unpack(dW, da.sum(axis=0), LSTM_GATES)


def shifted(first, rest):
    """What there was before each step."""
    return np.concatenate([first[:, None], rest[:, :-1]], axis=1)


def lstm_backward(dh, dc, cache):
    W, _ = pack(cache["params"], LSTM_GATES)
    N, T, H = dh.shape
    h_before, c_before = shifted(cache["h0"], cache["h"]), shifted(cache["c0"], cache["c"])
    s = slopes(cache["f"], cache["i"], cache["o"], cache["c_tilde"], c_before, cache["c"])
    da = np.empty((N, T, 4 * H))
    to_h, to_c = np.zeros((N, H)), np.zeros((N, H))
    for t in reversed(range(T)):
        da[:, t], to_c = through_step(dh[:, t] + to_h, dc[:, t] + to_c, Slopes(*(part[:, t] for part in s)))
        to_h = da[:, t] @ W[:, :H]
    rows = np.concatenate([h_before, cache["x"]], axis=2)
    dW = np.tensordot(da, rows, axes=((0, 1), (0, 1)))
    return da @ W[:, H:], to_h, to_c, unpack(dW, da.sum(axis=(0, 1)), LSTM_GATES)


def _gru(x_t, h, p):
    H = h.shape[-1]
    W, b = pack(p, "zr")
    z, r = np.split(sigma(np.hstack([h, x_t]) @ W.T + b), 2, axis=1)
    return z, np.tanh((r * h) @ p["W_h"][:, :H].T + x_t @ p["W_h"][:, H:].T + p["b_h"])


def gru_step(x_t, h_prev, params):
    z, new = _gru(x_t, h_prev, params)
    return h_prev + z * (new - h_prev)


def gru_step_keep(x_t, h_prev, params):
    z, new = _gru(x_t, h_prev, params)
    return h_prev + (1 - z) * (new - h_prev)


def convert_gru(params):
    return {name: (-value if name.endswith("_z") else +value) for name, value in params.items()}


def gru_step_backward(dh, cache):
    x, h, z, r, new = (cache[name] for name in ("x_t", "h_prev", "z", "r", "h_tilde"))
    p = cache["params"]
    H = h.shape[1]
    da_h = dh * z * (1 - new**2)
    d_rh, dx_h = np.split(da_h @ p["W_h"], [H], axis=1)
    da_z = dh * (new - h) * z * (1 - z)
    da_r = d_rh * h * r * (1 - r)
    da = np.concatenate([da_z, da_r], axis=1)
    dh_gates, dx_gates = np.split(da @ pack(p, "zr")[0], [H], axis=1)
    grads = unpack(da.T @ np.hstack([h, x]), da.sum(axis=0), "zr")
    grads |= {"W_h": da_h.T @ np.hstack([r * h, x]), "b_h": da_h.sum(axis=0)}
    return dx_h + dx_gates, dh * (1 - z) + d_rh * r + dh_gates, grads


def plain(x, layer, alive=None):
    """A plain layer; where alive (batch, time) is False, a state stays what it was."""
    h, states = layer["h0"], []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ layer["W_x"].T + h @ layer["W_h"].T + layer["b"])
        h = new if alive is None else np.where(alive[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1)


def stacked_forward(x, layers):
    return x if not layers else stacked_forward(plain(x, layers[0]), layers[1:])


def bidirectional_forward(x, lengths, forward, backward):
    real = np.arange(x.shape[1]) < np.asarray(lengths)[:, None]
    clean = np.where(real[..., None], x, 0)
    there = plain(clean, forward, real)
    # from right to left, a row waits in its h0 until its last real position
    back = plain(clean[:, ::-1], backward, real[:, ::-1])[:, ::-1]
    return np.concatenate([there, back], axis=2) * real[..., None]


class LSTMCell(nn.Module):
    """One LSTM step in torch, with the parameters of torch.nn.LSTMCell: the same names, shapes and order of gates.

    The four matrices are packed into one, the rows of the input gate first, then forget gate, candidate and output
    gate (torch calls the candidate g): i, f, g, o. State and input have a matrix each instead of one for [h_prev; x_t]:

        weight_ih (4 hidden, features), weight_hh (4 hidden, hidden), bias_ih (4 hidden,), bias_hh (4 hidden,)
        [a_i; a_f; a_g; a_o] = weight_ih x_t + bias_ih + weight_hh h_prev + bias_hh

    The constructor is given. It draws the weights as torch does, sets the biases to zero (torch draws those, too), and
    puts the forget bias where it belongs.
    """

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
            state = (x_t.new_zeros(len(x_t), self.hidden_size),) * 2
        h, c = state
        gates = nn.functional.linear(x_t, self.weight_ih, self.bias_ih)
        gates = gates + nn.functional.linear(h, self.weight_hh, self.bias_hh)
        i, f, g, o = gates.view(len(x_t), 4, self.hidden_size).unbind(dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_the_cell_buys": "",
        "what_reset_does": "",
        "when_bidirectional": "",
        "open_and_closed": "",
        "how_many_weights": "",
        "kept_in_the_cell": "",
        "untrained_gate": "",
        "update_share": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
