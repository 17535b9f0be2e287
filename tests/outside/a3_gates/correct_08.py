"""All gates in one product, as the libraries do it."""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

LSTM_ORDER = "fioc"


def sigma(a):
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1 / (1 + e), e / (1 + e))


def pack(params, order):
    W = np.concatenate([params[f"W_{g}"] for g in order], axis=0)
    b = np.concatenate([params[f"b_{g}"] for g in order])
    return W, b


def unpack(dW, db, order):
    grads = {}
    for g, part_W, part_b in zip(order, np.split(dW, len(order)), np.split(db, len(order))):
        grads[f"W_{g}"] = part_W
        grads[f"b_{g}"] = part_b
    return grads


def gated_update(h_prev, candidate, z):
    return h_prev + z * (candidate - h_prev)


def lstm_gates(x_t, h_prev, params):
    W, b = pack(params, LSTM_ORDER)
    a = np.hstack([h_prev, x_t]) @ W.T + b
    H = h_prev.shape[1]
    gates = sigma(a[:, : 3 * H])
    return gates[:, :H], gates[:, H : 2 * H], gates[:, 2 * H :], np.tanh(a[:, 3 * H :])


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, g = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * g
    return o * np.tanh(c_t), c_t


def lstm_forward(x, h0, c0, params):
    hs, cs = [h0], [c0]
    for t in range(x.shape[1]):
        h_t, c_t = lstm_step(x[:, t], hs[-1], cs[-1], params)
        hs.append(h_t)
        cs.append(c_t)
    return np.stack(hs[1:], axis=1), np.stack(cs[1:], axis=1)


def lstm_step_backward(dh, dc, cache):
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    shown = np.tanh(cache["c_t"])
    dc_total = dc + dh * o * (1 - shown * shown)
    da = np.hstack(
        [
            dc_total * cache["c_prev"] * f * (1 - f),
            dc_total * g * i * (1 - i),
            dh * shown * o * (1 - o),
            dc_total * i * (1 - g * g),
        ]
    )
    W, _ = pack(cache["params"], LSTM_ORDER)
    row = np.hstack([cache["h_prev"], cache["x_t"]])
    d_row = da @ W
    H = f.shape[1]
    grads = unpack(da.T @ row, da.sum(0), LSTM_ORDER)
    return d_row[:, H:], d_row[:, :H], dc_total * f, grads


def lstm_backward(dh, dc, cache):
    T = cache["x"].shape[1]
    h_before = np.concatenate([cache["h0"][:, None], cache["h"][:, :-1]], axis=1)
    c_before = np.concatenate([cache["c0"][:, None], cache["c"][:, :-1]], axis=1)
    dx = [None] * T
    dh_back = np.zeros_like(cache["h0"], dtype=float)
    dc_back = np.zeros_like(cache["c0"], dtype=float)
    total = None
    for t in range(T - 1, -1, -1):
        step = dict(
            x_t=cache["x"][:, t],
            h_prev=h_before[:, t],
            c_prev=c_before[:, t],
            f=cache["f"][:, t],
            i=cache["i"][:, t],
            o=cache["o"][:, t],
            c_tilde=cache["c_tilde"][:, t],
            c_t=cache["c"][:, t],
            params=cache["params"],
        )
        dx[t], dh_back, dc_back, grads = lstm_step_backward(dh_back + dh[:, t], dc_back + dc[:, t], step)
        total = grads if total is None else {k: total[k] + grads[k] for k in grads}
    return np.stack(dx, axis=1), dh_back, dc_back, total


def gru_parts(x_t, h_prev, params):
    W, b = pack(params, "zr")
    zr = sigma(np.hstack([h_prev, x_t]) @ W.T + b)
    z, r = np.split(zr, 2, axis=1)
    h_tilde = np.tanh(np.hstack([r * h_prev, x_t]) @ params["W_h"].T + params["b_h"])
    return z, h_tilde


def gru_step(x_t, h_prev, params):
    z, h_tilde = gru_parts(x_t, h_prev, params)
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t, h_prev, params):
    z, h_tilde = gru_parts(x_t, h_prev, params)
    return gated_update(h_tilde, h_prev, z)


def convert_gru(params):
    return {k: (-v if k.endswith("_z") else v) for k, v in params.items()}


def gru_step_backward(dh, cache):
    x, h, z, r, n = cache["x_t"], cache["h_prev"], cache["z"], cache["r"], cache["h_tilde"]
    P = cache["params"]
    H = h.shape[1]
    d_n = dh * z * (1 - n**2)
    d_inner = d_n @ P["W_h"]
    d_rh = d_inner[:, :H]
    d_zr = np.hstack([dh * (n - h) * z * (1 - z), d_rh * h * r * (1 - r)])
    W, _ = pack(P, "zr")
    d_row = d_zr @ W
    grads = unpack(d_zr.T @ np.hstack([h, x]), d_zr.sum(0), "zr")
    grads["W_h"] = d_n.T @ np.hstack([r * h, x])
    grads["b_h"] = d_n.sum(0)
    dh_prev = (1 - z) * dh + r * d_rh + d_row[:, :H]
    return d_inner[:, H:] + d_row[:, H:], dh_prev, grads


def stacked_forward(x, layers):
    """All layers move on together, step by step."""
    states = [layer["h0"] for layer in layers]
    top = []
    for t in range(x.shape[1]):
        below = x[:, t]
        for n, layer in enumerate(layers):
            states[n] = np.tanh(below @ layer["W_x"].T + states[n] @ layer["W_h"].T + layer["b"])
            below = states[n]
        top.append(below)
    return np.stack(top, axis=1)


def bidirectional_forward(x, lengths, forward, backward):
    B, T, _ = x.shape
    position = np.arange(T)
    real = position < lengths[:, None]
    # mirrors the real part of each row, leaves the padding where it is
    mirror = np.where(real, lengths[:, None] - 1 - position, position)
    rows = np.arange(B)[:, None]
    left = stacked_forward(x, [forward])
    right = stacked_forward(x[rows, mirror], [backward])[rows, mirror]
    both = np.concatenate([left, right], axis=-1)
    return np.where(real[..., None], both, 0.0)


class LSTMCell(nn.Module):
    """One LSTM step in torch."""

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

    def forward(self, x_t, state=None) -> Any:
        if state is None:
            zeros = torch.zeros(x_t.size(0), self.hidden_size, dtype=x_t.dtype, device=x_t.device)
            state = (zeros, zeros)
        h_prev, c_prev = state
        W = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        row = torch.cat([x_t, h_prev], dim=1)
        i, f, g, o = F.linear(row, W, self.bias_ih + self.bias_hh).split(self.hidden_size, dim=1)
        c_t = f.sigmoid() * c_prev + i.sigmoid() * g.tanh()
        return o.sigmoid() * c_t.tanh(), c_t


def debugging_lab():
    return {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "c", "run_5": "d"}


def quiz():
    return {
        "what_the_cell_buys": "a",
        "what_reset_does": "b",
        "when_bidirectional": "b",
        "open_and_closed": "b",
        "how_many_weights": "b",
        "kept_in_the_cell": "b",
        "untrained_gate": "b",
        "update_share": "b",
    }
