from typing import Any

import numpy as np
import torch
from torch import nn

Params = dict[str, np.ndarray]
Cache = dict[str, Any]


def sigma(a):
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1.0, e) / (1.0 + e)


def plain_layer(x, layer):
    h, states = layer["h0"], []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ layer["W_x"].T + h @ layer["W_h"].T + layer["b"])
        states.append(h)
    return np.stack(states, axis=1)


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    return (1 - z) * h_prev + z * candidate


def lstm_gates(
    x_t: np.ndarray, h_prev: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    row = np.concatenate([h_prev, x_t], axis=1)
    f = sigma(row @ params["W_f"].T + params["b_f"])
    i = sigma(row @ params["W_i"].T + params["b_i"])
    o = sigma(row @ params["W_o"].T + params["b_o"])
    c_tilde = np.tanh(row @ params["W_c"].T + params["b_c"])
    return f, i, o, c_tilde


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    return o * np.tanh(c_t), c_t


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    h, c = h0, c0
    hs, cs = [], []
    for t in range(x.shape[1]):
        h, c = lstm_step(x[:, t], h, c, params)
        hs.append(h)
        cs.append(c)
    return np.stack(hs, axis=1), np.stack(cs, axis=1)


def lstm_step_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    f, i, o, c_tilde = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    params = cache["params"]
    row = np.concatenate([cache["h_prev"], cache["x_t"]], axis=1)
    tanh_c = np.tanh(cache["c_t"])
    dc_all = dc + dh * o * (1 - tanh_c**2)
    da = {
        "f": dc_all * cache["c_prev"] * f * (1 - f),
        "i": dc_all * c_tilde * i * (1 - i),
        "o": dh * tanh_c * o * (1 - o),
        "c": dc_all * i * (1 - c_tilde**2),
    }
    grads = {}
    drow = 0
    for gate in "fioc":
        grads["W_" + gate] = da[gate].T @ row
        grads["b_" + gate] = da[gate].sum(axis=0)
        drow = drow + da[gate] @ params["W_" + gate]
    hidden = dh.shape[1]
    return drow[:, hidden:], drow[:, :hidden], dc_all * f, grads


def lstm_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    params = cache["params"]
    steps = dh.shape[1]
    grads = {name: np.zeros_like(value) for name, value in params.items()}
    dx = np.zeros(cache["x"].shape)
    dh_next, dc_next = np.zeros_like(cache["h0"]), np.zeros_like(cache["c0"])
    for t in reversed(range(steps)):
        here = {
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
        dx[:, t], dh_next, dc_next, step_grads = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, here)
        for name in grads:
            grads[name] = grads[name] + step_grads[name]
    return dx, dh_next, dc_next, grads


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    row = np.concatenate([h_prev, x_t], axis=1)
    z = sigma(row @ params["W_z"].T + params["b_z"])
    r = sigma(row @ params["W_r"].T + params["b_r"])
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    row = np.concatenate([h_prev, x_t], axis=1)
    z = sigma(row @ params["W_z"].T + params["b_z"])
    r = sigma(row @ params["W_r"].T + params["b_r"])
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params: Params) -> dict[str, np.ndarray]:
    return {**params, "W_z": -params["W_z"], "b_z": -params["b_z"]}


def gru_step_backward(dh: np.ndarray, cache: Cache) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    x_t, h_prev, z, r, h_tilde = (cache[name] for name in ("x_t", "h_prev", "z", "r", "h_tilde"))
    params = cache["params"]
    hidden = h_prev.shape[1]
    row = np.concatenate([h_prev, x_t], axis=1)
    reset_row = np.concatenate([r * h_prev, x_t], axis=1)
    da_z = dh * (h_tilde - h_prev) * z * (1 - z)
    da_h = dh * z * (1 - h_tilde**2)
    dreset_row = da_h @ params["W_h"]
    d_rh = dreset_row[:, :hidden]
    da_r = d_rh * h_prev * r * (1 - r)
    drow = da_z @ params["W_z"] + da_r @ params["W_r"]
    dh_prev = dh * (1 - z) + d_rh * r + drow[:, :hidden]
    dx = dreset_row[:, hidden:] + drow[:, hidden:]
    grads = {
        "W_z": da_z.T @ row,
        "W_r": da_r.T @ row,
        "W_h": da_h.T @ reset_row,
        "b_z": da_z.sum(axis=0),
        "b_r": da_r.sum(axis=0),
        "b_h": da_h.sum(axis=0),
    }
    return dx, dh_prev, grads


def stacked_forward(x: np.ndarray, layers: list[Params]) -> np.ndarray:
    h = x
    for layer in layers:
        h = plain_layer(h, layer)
    return h


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    time = x.shape[1]
    t = np.arange(time)[None, :]
    lengths = np.asarray(lengths)[:, None]
    real = t < lengths
    clean = np.where(real[:, :, None], x, 0.0)
    # position t of the turned row is lengths - 1 - t of the text; padding stays where it is
    turned = np.where(real, lengths - 1 - t, t)[:, :, None]
    there = plain_layer(clean, forward)
    back = plain_layer(np.take_along_axis(clean, turned, axis=1), backward)
    back = np.take_along_axis(back, turned, axis=1)
    return np.concatenate([there, back], axis=2) * real[:, :, None]


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

    def forward(
        self, x_t: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if state is None:
            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)
            state = (zeros, zeros)
        h_prev, c_prev = state
        a = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh
        i, f, g, o = a.chunk(4, dim=1)
        c_t = torch.sigmoid(f) * c_prev + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c_t), c_t


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
