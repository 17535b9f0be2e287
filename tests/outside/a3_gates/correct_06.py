from typing import Any

import numpy as np
import torch
from torch import nn

Params = dict[str, np.ndarray]
Cache = dict[str, Any]


class Sigmoid:

    @staticmethod
    def of(a):
        return 0.5 + 0.5 * np.tanh(0.5 * np.asarray(a))

    @staticmethod
    def slope(s):
        return s - s * s


def split(W, hidden):
    return W[:, :hidden], W[:, hidden:]


def affine(x_t, h_prev, params, gate):
    Wh, Wx = split(params[f"W_{gate}"], h_prev.shape[-1])
    return np.einsum("nh,oh->no", h_prev, Wh) + np.einsum("nf,of->no", x_t, Wx) + params[f"b_{gate}"]


def gru_parts(x_t, h_prev, params):
    z = Sigmoid.of(affine(x_t, h_prev, params, "z"))
    r = Sigmoid.of(affine(x_t, h_prev, params, "r"))
    return z, np.tanh(affine(x_t, r * h_prev, params, "h"))


def outer_sum(da, row):
    total = np.zeros((da.shape[1], row.shape[1]))
    for a, v in zip(da, row):
        total += np.outer(a, v)
    return total


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    return h_prev + z * (np.asarray(candidate) - h_prev)


def lstm_gates(
    x_t: np.ndarray, h_prev: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    f, i, o = (Sigmoid.of(affine(x_t, h_prev, params, gate)) for gate in "fio")
    return f, i, o, np.tanh(affine(x_t, h_prev, params, "c"))


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    gates = lstm_gates(x_t, h_prev, params)
    c_t = gates[0] * c_prev
    c_t += gates[1] * gates[3]
    h_t = np.tanh(c_t)
    h_t *= gates[2]
    return h_t, c_t


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    batch, time, _ = x.shape
    hidden = h0.shape[1]
    h = np.empty((time + 1, batch, hidden))
    c = np.empty((time + 1, batch, hidden))
    h[0], c[0] = h0, c0
    for t in range(time):
        h[t + 1], c[t + 1] = lstm_step(x[:, t], h[t], c[t], params)
    return h[1:].swapaxes(0, 1), c[1:].swapaxes(0, 1)


def lstm_step_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    p, hidden = cache["params"], cache["h_prev"].shape[1]
    f, i, o, g = (cache[k] for k in ("f", "i", "o", "c_tilde"))
    t = np.tanh(cache["c_t"])
    dc_here = dh * o
    dc_here *= 1 - np.square(t)
    dc_here += dc
    sums = (
        ("f", dc_here * cache["c_prev"] * Sigmoid.slope(f)),
        ("i", dc_here * g * Sigmoid.slope(i)),
        ("o", dh * t * Sigmoid.slope(o)),
        ("c", dc_here * i * (1 - g) * (1 + g)),
    )
    row = np.hstack((cache["h_prev"], cache["x_t"]))
    dW = {f"W_{k}": outer_sum(a, row) for k, a in sums}
    db = {f"b_{k}": np.ones(len(a)) @ a for k, a in sums}
    dh_prev = sum(a @ split(p[f"W_{k}"], hidden)[0] for k, a in sums)
    dx = sum(a @ split(p[f"W_{k}"], hidden)[1] for k, a in sums)
    return dx, dh_prev, f * dc_here, {**dW, **db}


def lstm_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    p = cache["params"]
    x, h, c, h0, c0 = (cache[k] for k in ("x", "h", "c", "h0", "c0"))
    hidden, T = h0.shape[1], x.shape[1]
    order = ["f", "i", "o", "c"]
    W = np.vstack([p["W_" + k] for k in order])
    before_h = np.concatenate((h0[:, None], h[:, : T - 1]), axis=1)
    before_c = np.concatenate((c0[:, None], c[:, : T - 1]), axis=1)
    rows = np.concatenate((before_h, x), axis=2)
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    tanh_c = np.tanh(c)
    da = np.zeros((x.shape[0], T, 4 * hidden))
    drow = np.zeros(rows.shape)
    carry_h, carry_c = np.zeros(h0.shape), np.zeros(c0.shape)
    t = T - 1
    while t >= 0:
        total_h = dh[:, t] + carry_h
        total_c = dc[:, t] + carry_c + total_h * o[:, t] * (1 - tanh_c[:, t] ** 2)
        da[:, t, :hidden] = total_c * before_c[:, t] * Sigmoid.slope(f[:, t])
        da[:, t, hidden : 2 * hidden] = total_c * g[:, t] * Sigmoid.slope(i[:, t])
        da[:, t, 2 * hidden : 3 * hidden] = total_h * tanh_c[:, t] * Sigmoid.slope(o[:, t])
        da[:, t, 3 * hidden :] = total_c * i[:, t] * (1 - g[:, t] ** 2)
        drow[:, t] = da[:, t] @ W
        carry_h, carry_c = drow[:, t, :hidden], total_c * f[:, t]
        t -= 1
    dW = np.einsum("nta,ntr->ar", da, rows)
    db = da.sum(axis=(0, 1))
    grads = {}
    for k, w, b in zip(order, np.split(dW, 4), np.split(db, 4)):
        grads["W_" + k], grads["b_" + k] = w, b
    return drow[:, :, hidden:], carry_h.copy(), carry_c, grads


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    z, new = gru_parts(x_t, h_prev, params)
    return h_prev + z * (new - h_prev)


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    z, new = gru_parts(x_t, h_prev, params)
    return new + z * (h_prev - new)


def convert_gru(params: Params) -> dict[str, np.ndarray]:
    other = {}
    for name in params:
        value = np.array(params[name])
        other[name] = np.negative(value) if name.endswith("_z") else value
    return other


def gru_step_backward(dh: np.ndarray, cache: Cache) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    x_t, h, z, r, n = cache["x_t"], cache["h_prev"], cache["z"], cache["r"], cache["h_tilde"]
    p, hidden = cache["params"], h.shape[1]
    dn = dh * z
    dz = dh * n - dh * h
    a_h = dn - dn * n * n
    to_h, to_x = split(p["W_h"], hidden)
    drh = a_h @ to_h
    a_z = Sigmoid.slope(z) * dz
    a_r = Sigmoid.slope(r) * (drh * h)
    dx = a_h @ to_x
    dh_prev = dh - dh * z
    dh_prev += drh * r
    grads = {"W_h": outer_sum(a_h, np.hstack((r * h, x_t))), "b_h": a_h.sum(0)}
    for k, a in (("z", a_z), ("r", a_r)):
        to_h, to_x = split(p["W_" + k], hidden)
        dh_prev += a @ to_h
        dx = dx + a @ to_x
        grads["W_" + k] = outer_sum(a, np.hstack((h, x_t)))
        grads["b_" + k] = a.sum(0)
    return dx, dh_prev, grads


def stacked_forward(x: np.ndarray, layers: list[Params]) -> np.ndarray:
    state = [layer["h0"] for layer in layers]
    top = []
    for t in range(x.shape[1]):
        below = x[:, t]
        for n, layer in enumerate(layers):
            below = np.tanh(layer["W_x"].dot(below.T).T + layer["W_h"].dot(state[n].T).T + layer["b"])
            state[n] = below
        top.append(below)
    return np.array(top).transpose(1, 0, 2)


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    first, second = forward["b"].shape[0], backward["b"].shape[0]
    out = np.zeros((x.shape[0], x.shape[1], first + second))
    for n, length in enumerate(lengths):
        state = forward["h0"][n]
        for t in range(length):
            state = np.tanh(forward["W_x"] @ x[n, t] + forward["W_h"] @ state + forward["b"])
            out[n, t, :first] = state
        state = backward["h0"][n]
        for t in range(length - 1, -1, -1):
            state = np.tanh(backward["W_x"] @ x[n, t] + backward["W_h"] @ state + backward["b"])
            out[n, t, first:] = state
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

    def forward(
        self, x_t: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        n = self.hidden_size
        if state is None:
            h_prev = c_prev = torch.zeros(len(x_t), n, dtype=x_t.dtype, device=x_t.device)
        else:
            h_prev, c_prev = state
        a = nn.functional.linear(x_t, self.weight_ih, self.bias_ih)
        a = a + nn.functional.linear(h_prev, self.weight_hh, self.bias_hh)
        write, keep = a[:, :n].sigmoid(), a[:, n : 2 * n].sigmoid()
        new, show = a[:, 2 * n : 3 * n].tanh(), a[:, 3 * n :].sigmoid()
        c_t = torch.addcmul(keep * c_prev, write, new)
        return show * c_t.tanh(), c_t


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
