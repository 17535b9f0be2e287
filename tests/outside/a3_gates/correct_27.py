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


def as_t(a):
    """numpy -> torch, as a double copy so that nothing of the caller is touched"""
    return torch.tensor(np.asarray(a), dtype=torch.float64)


def params_t(params):
    return {k: as_t(v) for k, v in params.items()}


def gates_t(x_t, h_prev, p):
    row = torch.cat([h_prev, x_t], dim=-1)
    f = torch.sigmoid(row @ p["W_f"].T + p["b_f"])
    i = torch.sigmoid(row @ p["W_i"].T + p["b_i"])
    o = torch.sigmoid(row @ p["W_o"].T + p["b_o"])
    g = torch.tanh(row @ p["W_c"].T + p["b_c"])
    return f, i, o, g


def step_t(x_t, h_prev, c_prev, p):
    f, i, o, g = gates_t(x_t, h_prev, p)
    c = f * c_prev + i * g
    return o * torch.tanh(c), c


def gru_t(x_t, h_prev, p):
    hx = torch.cat([h_prev, x_t], dim=-1)
    z = torch.sigmoid(hx @ p["W_z"].T + p["b_z"])
    r = torch.sigmoid(hx @ p["W_r"].T + p["b_r"])
    cand = torch.tanh(torch.cat([r * h_prev, x_t], dim=-1) @ p["W_h"].T + p["b_h"])
    return z, cand


def simple_rnn(x, layer):
    """x (batch, time, features) as numpy, all states as numpy"""
    p = params_t(layer)
    xs = as_t(x) @ p["W_x"].T + p["b"]
    h = p["h0"]
    states = torch.zeros(x.shape[0], x.shape[1], h.shape[1], dtype=torch.float64)
    for t in range(x.shape[1]):
        h = torch.tanh(xs[:, t] + h @ p["W_h"].T)
        states[:, t] = h
    return states.numpy()


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    keep = 1 - z
    return keep * h_prev + z * candidate


def lstm_gates(
    x_t: np.ndarray, h_prev: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return tuple(a.numpy() for a in gates_t(as_t(x_t), as_t(h_prev), params_t(params)))


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    h_t, c_t = step_t(as_t(x_t), as_t(h_prev), as_t(c_prev), params_t(params))
    return h_t.numpy(), c_t.numpy()


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    p = params_t(params)
    xs = as_t(x)
    h_t = as_t(h0)
    c_t = as_t(c0)
    all_h = []
    all_c = []
    for x_t in xs.unbind(dim=1):
        h_t, c_t = step_t(x_t, h_t, c_t, p)
        all_h.append(h_t)
        all_c.append(c_t)
    return torch.stack(all_h, dim=1).numpy(), torch.stack(all_c, dim=1).numpy()


def lstm_step_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    p = cache["params"]
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    H = f.shape[1]

    # output side
    th = np.tanh(cache["c_t"])
    d_o = dh * th
    d_c = dc + dh * o * (1.0 - th * th)

    # before the nonlinearities, in the order f i o c
    d_af = d_c * cache["c_prev"] * f * (1.0 - f)
    d_ai = d_c * g * i * (1.0 - i)
    d_ao = d_o * o * (1.0 - o)
    d_ag = d_c * i * (1.0 - g * g)

    # one big matrix for all the four
    dA = np.concatenate([d_af, d_ai, d_ao, d_ag], axis=1)
    W = np.concatenate([p["W_f"], p["W_i"], p["W_o"], p["W_c"]], axis=0)
    row = np.concatenate([cache["h_prev"], cache["x_t"]], axis=1)
    dW = dA.T @ row
    db = dA.sum(axis=0)
    d_row = dA @ W

    grads = {}
    for n, name in enumerate(["f", "i", "o", "c"]):
        grads["W_" + name] = dW[n * H : (n + 1) * H]
        grads["b_" + name] = db[n * H : (n + 1) * H]
    return d_row[:, H:], d_row[:, :H], d_c * f, grads


def lstm_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    B, T, F = cache["x"].shape
    prev_h = [cache["h0"]] + [cache["h"][:, t] for t in range(T - 1)]
    prev_c = [cache["c0"]] + [cache["c"][:, t] for t in range(T - 1)]
    dx = []
    sums = None
    dh_t = dh[:, T - 1]
    dc_t = dc[:, T - 1]
    for t in range(T - 1, -1, -1):
        small = {
            "x_t": cache["x"][:, t],
            "h_prev": prev_h[t],
            "c_prev": prev_c[t],
            "f": cache["f"][:, t],
            "i": cache["i"][:, t],
            "o": cache["o"][:, t],
            "c_tilde": cache["c_tilde"][:, t],
            "c_t": cache["c"][:, t],
            "params": cache["params"],
        }
        dx_t, dh_prev, dc_prev, g = lstm_step_backward(dh_t, dc_t, small)
        dx.insert(0, dx_t)
        if sums is None:
            sums = g
        else:
            sums = {key: sums[key] + g[key] for key in sums}
        if t > 0:
            dh_t = dh[:, t - 1] + dh_prev
            dc_t = dc[:, t - 1] + dc_prev
    return np.stack(dx, axis=1), dh_prev, dc_prev, sums


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    h = as_t(h_prev)
    z, cand = gru_t(as_t(x_t), h, params_t(params))
    return ((1 - z) * h + z * cand).numpy()


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    return gru_step(x_t, h_prev, convert_gru(params))


def convert_gru(params: Params) -> dict[str, np.ndarray]:
    new = dict(params)
    new["W_z"] = -params["W_z"]
    new["b_z"] = -params["b_z"]
    return new


def gru_step_backward(dh: np.ndarray, cache: Cache) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    p = cache["params"]
    z, r, cand = cache["z"], cache["r"], cache["h_tilde"]
    h, x = cache["h_prev"], cache["x_t"]
    H = h.shape[1]
    # cut every matrix into the part for h and the part for x
    Wz_h, Wz_x = p["W_z"][:, :H], p["W_z"][:, H:]
    Wr_h, Wr_x = p["W_r"][:, :H], p["W_r"][:, H:]
    Wh_h, Wh_x = p["W_h"][:, :H], p["W_h"][:, H:]

    daz = dh * (cand - h) * z * (1 - z)
    dah = dh * z * (1 - cand**2)
    drh = dah @ Wh_h
    dar = drh * h * r * (1 - r)

    dh_prev = dh * (1 - z)
    dh_prev = dh_prev + drh * r
    dh_prev = dh_prev + daz @ Wz_h
    dh_prev = dh_prev + dar @ Wr_h
    dx = dah @ Wh_x + daz @ Wz_x + dar @ Wr_x

    grads = {
        "W_z": np.concatenate([daz.T @ h, daz.T @ x], axis=1),
        "W_r": np.concatenate([dar.T @ h, dar.T @ x], axis=1),
        "W_h": np.concatenate([dah.T @ (r * h), dah.T @ x], axis=1),
        "b_z": daz.sum(axis=0),
        "b_r": dar.sum(axis=0),
        "b_h": dah.sum(axis=0),
    }
    return dx, dh_prev, grads


def stacked_forward(x: np.ndarray, layers: list[Params]) -> np.ndarray:
    if len(layers) == 1:
        return simple_rnn(x, layers[0])
    return stacked_forward(simple_rnn(x, layers[0]), layers[1:])


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    B, T, F = x.shape
    # index that turns each row within its length; it is its own inverse
    turn = np.tile(np.arange(T), (B, 1))
    for n in range(B):
        turn[n, : lengths[n]] = np.arange(lengths[n])[::-1]
    rows = np.arange(B)[:, None]

    h_fwd = simple_rnn(x, forward)
    h_bwd = simple_rnn(x[rows, turn], backward)[rows, turn]
    h = np.concatenate([h_fwd, h_bwd], axis=-1)
    for n in range(B):
        h[n, lengths[n] :] = 0.0
    return h


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
        H = self.hidden_size
        if state is None:
            h_prev = torch.zeros((x_t.size(0), H), dtype=x_t.dtype, device=x_t.device)
            c_prev = torch.zeros_like(h_prev)
        else:
            h_prev, c_prev = state[0], state[1]
        gates = x_t @ self.weight_ih.t() + h_prev @ self.weight_hh.t() + (self.bias_ih + self.bias_hh)
        i = torch.sigmoid(gates[:, 0:H])
        f = torch.sigmoid(gates[:, H : 2 * H])
        g = torch.tanh(gates[:, 2 * H : 3 * H])
        o = torch.sigmoid(gates[:, 3 * H : 4 * H])
        c_t = f * c_prev + i * g
        h_t = o * torch.tanh(c_t)
        return h_t, c_t


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
