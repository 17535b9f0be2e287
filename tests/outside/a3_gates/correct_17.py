"""LSTM, GRU and friends: gate by gate."""

import numpy as np
import torch
from torch import nn


def sigmoid(a: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-a)) without an overflow: the exponent is never positive."""
    small = np.exp(-np.abs(a))
    return np.where(a >= 0, 1 / (1 + small), small / (1 + small))


def joined(h: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The rows [h; x]."""
    return np.concatenate([h, x], axis=1)


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Keep 1 - z of the old, take z of the new."""
    return (1 - z) * h_prev + z * candidate


def lstm_gates(x_t: np.ndarray, h_prev: np.ndarray, params: dict) -> tuple:
    """Three gates and a candidate."""
    row = joined(h_prev, x_t)
    f = sigmoid(row @ params["W_f"].T + params["b_f"])
    i = sigmoid(row @ params["W_i"].T + params["b_i"])
    o = sigmoid(row @ params["W_o"].T + params["b_o"])
    c_tilde = np.tanh(row @ params["W_c"].T + params["b_c"])
    return f, i, o, c_tilde


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: dict) -> tuple:
    """Erase, write, reveal."""
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    h_t = o * np.tanh(c_t)
    return h_t, c_t


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: dict) -> tuple:
    """All steps."""
    h_list, c_list = [], []
    h_t, c_t = h0, c0
    for t in range(x.shape[1]):
        h_t, c_t = lstm_step(x[:, t], h_t, c_t, params)
        h_list.append(h_t)
        c_list.append(c_t)
    return np.stack(h_list, axis=1), np.stack(c_list, axis=1)


def lstm_step_backward(dh: np.ndarray, dc: np.ndarray, cache: dict) -> tuple:
    """One step of an LSTM from its end to its beginning."""
    f, i, o, c_tilde = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    params = cache["params"]
    row = joined(cache["h_prev"], cache["x_t"])
    shown = np.tanh(cache["c_t"])

    # h_t = o * tanh(c_t)
    do = dh * shown
    dc_all = dc + dh * o * (1 - shown**2)

    # c_t = f * c_prev + i * c_tilde
    df = dc_all * cache["c_prev"]
    di = dc_all * c_tilde
    dc_tilde = dc_all * i
    dc_prev = dc_all * f

    sums = {
        "f": df * f * (1 - f),
        "i": di * i * (1 - i),
        "o": do * o * (1 - o),
        "c": dc_tilde * (1 - c_tilde**2),
    }
    grads = {}
    drow = np.zeros(row.shape)
    for gate, da in sums.items():
        grads["W_" + gate] = da.T @ row
        grads["b_" + gate] = da.sum(axis=0)
        drow += da @ params["W_" + gate]
    hidden = dh.shape[1]
    return drow[:, hidden:], drow[:, :hidden], dc_prev, grads


def lstm_backward(dh: np.ndarray, dc: np.ndarray, cache: dict) -> tuple:
    """All steps, from the last to the first."""
    params = cache["params"]
    dx = np.zeros(cache["x"].shape)
    grads = {name: np.zeros(value.shape) for name, value in params.items()}
    dh_next = np.zeros(cache["h0"].shape)
    dc_next = np.zeros(cache["c0"].shape)
    for t in range(dx.shape[1] - 1, -1, -1):
        step = {
            "x_t": cache["x"][:, t],
            "h_prev": cache["h"][:, t - 1] if t > 0 else cache["h0"],
            "c_prev": cache["c"][:, t - 1] if t > 0 else cache["c0"],
            "f": cache["f"][:, t],
            "i": cache["i"][:, t],
            "o": cache["o"][:, t],
            "c_tilde": cache["c_tilde"][:, t],
            "c_t": cache["c"][:, t],
            "params": params,
        }
        dx[:, t], dh_next, dc_next, step_grads = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, step)
        for name in grads:
            grads[name] += step_grads[name]
    return dx, dh_next, dc_next, grads


def gru_parts(x_t: np.ndarray, h_prev: np.ndarray, params: dict) -> tuple:
    """z, r and the candidate."""
    row = joined(h_prev, x_t)
    z = sigmoid(row @ params["W_z"].T + params["b_z"])
    r = sigmoid(row @ params["W_r"].T + params["b_r"])
    h_tilde = np.tanh(joined(r * h_prev, x_t) @ params["W_h"].T + params["b_h"])
    return z, r, h_tilde


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: dict) -> np.ndarray:
    """z lets in."""
    z, _, h_tilde = gru_parts(x_t, h_prev, params)
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: dict) -> np.ndarray:
    """z keeps."""
    z, _, h_tilde = gru_parts(x_t, h_prev, params)
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params: dict) -> dict:
    """Turn the sign of all that stands inside the sigmoid of z."""
    converted = {name: value.copy() for name, value in params.items()}
    converted["W_z"] = -params["W_z"]
    converted["b_z"] = -params["b_z"]
    return converted


def gru_step_backward(dh: np.ndarray, cache: dict) -> tuple:
    """One row of the batch after the other."""
    params = cache["params"]
    hidden = dh.shape[1]
    dx = np.zeros(cache["x_t"].shape)
    dh_prev = np.zeros(dh.shape)
    grads = {name: np.zeros(value.shape) for name, value in params.items()}
    for n in range(len(dh)):
        x, h = cache["x_t"][n], cache["h_prev"][n]
        z, r, h_tilde = cache["z"][n], cache["r"][n], cache["h_tilde"][n]
        row = np.concatenate([h, x])
        reset_row = np.concatenate([r * h, x])

        da_h = dh[n] * z * (1 - h_tilde**2)
        d_reset_row = params["W_h"].T @ da_h
        d_reset_state = d_reset_row[:hidden]
        da_z = dh[n] * (h_tilde - h) * z * (1 - z)
        da_r = d_reset_state * h * r * (1 - r)
        d_row = params["W_z"].T @ da_z + params["W_r"].T @ da_r

        dh_prev[n] = dh[n] * (1 - z) + d_reset_state * r + d_row[:hidden]
        dx[n] = d_reset_row[hidden:] + d_row[hidden:]
        grads["W_z"] += np.outer(da_z, row)
        grads["W_r"] += np.outer(da_r, row)
        grads["W_h"] += np.outer(da_h, reset_row)
        grads["b_z"] += da_z
        grads["b_r"] += da_r
        grads["b_h"] += da_h
    return dx, dh_prev, grads


def run_layer(x: np.ndarray, h0: np.ndarray, layer: dict) -> np.ndarray:
    """A plain recurrent layer over x."""
    h = np.zeros((x.shape[0], x.shape[1], len(layer["b"])))
    state = h0
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ layer["W_x"].T + state @ layer["W_h"].T + layer["b"])
        h[:, t] = state
    return h


def stacked_forward(x: np.ndarray, layers: list) -> np.ndarray:
    """Each layer reads the states of the one below."""
    for layer in layers:
        x = run_layer(x, layer["h0"], layer)
    return x


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: dict, backward: dict) -> np.ndarray:
    """Each row alone, cut to its length."""
    left, right = len(forward["b"]), len(backward["b"])
    h = np.zeros((x.shape[0], x.shape[1], left + right))
    for n in range(len(x)):
        length = int(lengths[n])
        real = x[n : n + 1, :length]
        h[n, :length, :left] = run_layer(real, forward["h0"][n : n + 1], forward)[0]
        turned = run_layer(real[:, ::-1], backward["h0"][n : n + 1], backward)[0]
        h[n, :length, left:] = turned[::-1]
    return h


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

    def forward(
        self, x_t: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Take one step, as lstm_step does."""
        if state is None:
            zeros = torch.zeros(x_t.shape[0], self.hidden_size, dtype=x_t.dtype, device=x_t.device)
            h_prev, c_prev = zeros, zeros
        else:
            h_prev, c_prev = state
        sums = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh
        a_i, a_f, a_g, a_o = torch.chunk(sums, 4, dim=1)
        c_t = torch.sigmoid(a_f) * c_prev + torch.sigmoid(a_i) * torch.tanh(a_g)
        h_t = torch.sigmoid(a_o) * torch.tanh(c_t)
        return h_t, c_t


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
