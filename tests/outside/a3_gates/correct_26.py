"""Gates: LSTM and GRU, forwards and backwards, deep and bidirectional, in numpy; then the LSTM cell as a torch module.

    x        (batch, time, features)   the inputs; x[:, t] is what step t reads, x_t stands for it
    h, c     (batch, time, hidden)     the states and, in an LSTM, the cell states; h[:, t] is the one after reading x[:, t]
    h0, c0   (batch, hidden)           those before the first step

[h_prev; x_t] is one row for each sequence, first the state and then the input: (batch, hidden + features). A gate has
one weight matrix for the whole row, laid out (out, in), so W (hidden, hidden + features), and a bias b (hidden,):

    LSTM     params = {"W_f", "W_i", "W_o", "W_c", "b_f", "b_i", "b_o", "b_c"}
    GRU      params = {"W_z", "W_r", "W_h", "b_z", "b_r", "b_h"}

sigma(a) = 1 / (1 + exp(-a)), entry by entry; * between arrays multiplies entry by entry, too.

A cache holds what a forward pass leaves for the backward pass; it is a dict of arrays, with the params among them, and
is handed to you. dA stands for the gradient of the loss with respect to A, and has the shape of A. The gradients of the
params are returned as a dict with the keys of params: grads["W_f"] is dW_f.

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
Functions take and return arrays of numpy, which is all they need; the class at the end is torch's.
"""

from typing import Any

import numpy as np
import torch
from torch import nn

Params = dict[str, np.ndarray]
Cache = dict[str, Any]


LSTM_GATES = ("f", "i", "o", "c")


def _sigma(a):
    return 0.5 * (1.0 + np.tanh(0.5 * a))


def _affine(row, params, name):
    return row @ params["W_" + name].T + params["b_" + name]


def _gru_parts(x_t, h_prev, params):
    """z, r and the candidate: the same in both conventions."""
    row = np.hstack((h_prev, x_t))
    z = _sigma(_affine(row, params, "z"))
    r = _sigma(_affine(row, params, "r"))
    h_tilde = np.tanh(_affine(np.hstack((r * h_prev, x_t)), params, "h"))
    return z, r, h_tilde


def _plain_step(x_t, h, layer):
    return np.tanh(x_t @ layer["W_x"].T + h @ layer["W_h"].T + layer["b"])


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Keep the past or take what is new: one decision for each entry, and anything in between."""
    return h_prev + z * (candidate - h_prev)


def lstm_gates(
    x_t: np.ndarray, h_prev: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Decide what to erase, what to write, what to reveal, and what there is to write."""
    row = np.hstack((h_prev, x_t))
    f, i, o = (_sigma(_affine(row, params, name)) for name in "fio")
    return f, i, o, np.tanh(_affine(row, params, "c"))


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    """Take one step of an LSTM: erase and write in the cell, then reveal some of it."""
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    return o * np.tanh(c_t), c_t


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    """Run an LSTM over whole sequences."""
    batch, time = x.shape[:2]
    h = np.zeros((batch, time, h0.shape[1]))
    c = np.zeros_like(h)
    state = (h0, c0)
    for t in range(time):
        state = lstm_step(x[:, t], *state, params)
        h[:, t], c[:, t] = state
    return h, c


def lstm_step_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Send gradients back through one step of an LSTM."""
    f, i, o, c_tilde = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    params = cache["params"]
    shown = np.tanh(cache["c_t"])
    dc_all = dc + dh * o * (1 - shown**2)
    da = {
        "f": dc_all * cache["c_prev"] * f * (1 - f),
        "i": dc_all * c_tilde * i * (1 - i),
        "o": dh * shown * o * (1 - o),
        "c": dc_all * i * (1 - c_tilde**2),
    }
    row = np.hstack((cache["h_prev"], cache["x_t"]))
    drow = np.zeros_like(row, dtype=float)
    grads = {}
    for name in LSTM_GATES:
        drow += da[name] @ params["W_" + name]
        grads["W_" + name] = da[name].T @ row
        grads["b_" + name] = da[name].sum(0)
    hidden = dh.shape[1]
    return drow[:, hidden:], drow[:, :hidden], dc_all * f, grads


def lstm_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Send gradients back through a whole sequence of an LSTM."""
    x, params = cache["x"], cache["params"]
    # the states before each step: shift by one, the initial one in front
    h_before = np.concatenate((cache["h0"][:, None], cache["h"][:, :-1]), axis=1)
    c_before = np.concatenate((cache["c0"][:, None], cache["c"][:, :-1]), axis=1)
    dx = np.zeros(x.shape)
    total = {k: np.zeros(p.shape) for k, p in params.items()}
    carry_h, carry_c = 0.0, 0.0
    for t in reversed(range(x.shape[1])):
        one = {name: cache[name][:, t] for name in ("f", "i", "o", "c_tilde")}
        one.update(x_t=x[:, t], h_prev=h_before[:, t], c_prev=c_before[:, t], c_t=cache["c"][:, t], params=params)
        dx[:, t], carry_h, carry_c, grads = lstm_step_backward(dh[:, t] + carry_h, dc[:, t] + carry_c, one)
        for k in total:
            total[k] = total[k] + grads[k]
    return dx, carry_h, carry_c, total


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    """Take one step of a GRU, in the convention in which z lets the new in."""
    z, _, h_tilde = _gru_parts(x_t, h_prev, params)
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    """Take one step of a GRU, in the convention in which z keeps the past."""
    z, _, h_tilde = _gru_parts(x_t, h_prev, params)
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params: Params) -> dict[str, np.ndarray]:
    """Return params with which one convention computes what the other does with the given ones."""
    return {key: -value if key in ("W_z", "b_z") else value.copy() for key, value in params.items()}


def gru_step_backward(dh: np.ndarray, cache: Cache) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Send a gradient back through one step of a GRU, that of gru_step."""
    z, r, h_tilde, h_prev, x_t = (cache[k] for k in ("z", "r", "h_tilde", "h_prev", "x_t"))
    params = cache["params"]
    hidden = h_prev.shape[1]

    da_h = dh * z * (1 - h_tilde**2)
    through_h = da_h @ params["W_h"]
    da_r = through_h[:, :hidden] * h_prev * r * (1 - r)
    da_z = dh * (h_tilde - h_prev) * z * (1 - z)
    through_gates = da_z @ params["W_z"] + da_r @ params["W_r"]

    dh_prev = dh * (1 - z) + through_h[:, :hidden] * r + through_gates[:, :hidden]
    dx = through_h[:, hidden:] + through_gates[:, hidden:]

    row = np.hstack((h_prev, x_t))
    row_reset = np.hstack((r * h_prev, x_t))
    grads = {"W_z": da_z.T @ row, "W_r": da_r.T @ row, "W_h": da_h.T @ row_reset}
    grads.update(b_z=da_z.sum(0), b_r=da_r.sum(0), b_h=da_h.sum(0))
    return dx, dh_prev, grads


def stacked_forward(x: np.ndarray, layers: list[Params]) -> np.ndarray:
    """Run a deep network of plain recurrent layers: each reads, step by step, what the one below it says."""
    # all layers move one step together
    states = [layer["h0"] for layer in layers]
    top = []
    for t in range(x.shape[1]):
        signal = x[:, t]
        for k, layer in enumerate(layers):
            states[k] = _plain_step(signal, states[k], layer)
            signal = states[k]
        top.append(signal)
    return np.stack(top, axis=1)


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    """Read every sequence in both directions, with two plain recurrent layers that know nothing of each other."""
    batch, time = x.shape[:2]
    real = np.arange(time)[None, :] < np.asarray(lengths)[:, None]
    x = np.where(real[:, :, None], x, 0.0)  # whatever stands in the padding

    def run(layer, steps):
        h = layer["h0"]
        out = np.zeros((batch, time, h.shape[1]))
        for t in steps:
            keep = real[:, t][:, None]
            # rows that are not real here wait with the state they have
            h = np.where(keep, _plain_step(x[:, t], h, layer), h)
            out[:, t] = np.where(keep, h, 0.0)
        return out

    return np.concatenate((run(forward, range(time)), run(backward, range(time - 1, -1, -1))), axis=2)


class LSTMCell(nn.Module):
    """One LSTM step in torch, with the parameters of torch.nn.LSTMCell: the same names, shapes and order of gates."""

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

    def forward(
        self, x_t: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Take one step, as lstm_step does."""
        if state is None:
            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)
            state = (zeros, zeros)
        h_prev, c_prev = state
        sums = nn.functional.linear(x_t, self.weight_ih, self.bias_ih) + nn.functional.linear(h_prev, self.weight_hh, self.bias_hh)
        i, f, g, o = sums.chunk(4, dim=-1)
        c_t = f.sigmoid() * c_prev + i.sigmoid() * g.tanh()
        return o.sigmoid() * c_t.tanh(), c_t


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "c", "run_5": "b"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_the_cell_buys": "a",
        "what_reset_does": "b",
        "when_bidirectional": "c",
        "open_and_closed": "d",
        "how_many_weights": "c",
        "kept_in_the_cell": "a",
        "untrained_gate": "d",
        "update_share": "b",
    }
    return answers
