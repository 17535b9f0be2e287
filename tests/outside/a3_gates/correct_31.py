import numpy as np
import torch
from torch import nn


def sigma(a):
    # no overflow on either side
    return np.exp(-np.logaddexp(0.0, -a))


def fuse(params, names):
    W = np.concatenate([params["W_" + n] for n in names])
    b = np.concatenate([params["b_" + n] for n in names])
    return W, b


def unfuse(dW, db, names):
    grads = {}
    for n, w, v in zip(names, np.split(dW, len(names)), np.split(db, len(names))):
        grads["W_" + n], grads["b_" + n] = w, v
    return grads


def gated_update(h_prev, candidate, z):
    return h_prev + z * (candidate - h_prev)


def lstm_gates(x_t, h_prev, params):
    W, b = fuse(params, "fioc")
    a = np.hstack([h_prev, x_t]) @ W.T + b
    f, i, o, c_tilde = np.split(a, 4, axis=1)
    return sigma(f), sigma(i), sigma(o), np.tanh(c_tilde)


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    return o * np.tanh(c_t), c_t


def lstm_forward(x, h0, c0, params):
    W, b = fuse(params, "fioc")
    n = h0.shape[1]
    drive = x @ W[:, n:].T + b
    h, c = h0, c0
    hs, cs = [], []
    for t in range(x.shape[1]):
        a = drive[:, t] + h @ W[:, :n].T
        s = sigma(a[:, : 3 * n])
        c = s[:, :n] * c + s[:, n : 2 * n] * np.tanh(a[:, 3 * n :])
        h = s[:, 2 * n :] * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return np.stack(hs, axis=1), np.stack(cs, axis=1)


def lstm_step_backward(dh, dc, cache):
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    tanh_c = np.tanh(cache["c_t"])
    dc_all = dc + dh * o * (1 - tanh_c**2)
    da = np.hstack(
        [
            dc_all * cache["c_prev"] * f * (1 - f),
            dc_all * g * i * (1 - i),
            dh * tanh_c * o * (1 - o),
            dc_all * i * (1 - g**2),
        ]
    )
    W, _ = fuse(cache["params"], "fioc")
    row = np.hstack([cache["h_prev"], cache["x_t"]])
    d_row = da @ W
    n = f.shape[1]
    return d_row[:, n:], d_row[:, :n], dc_all * f, unfuse(da.T @ row, da.sum(axis=0), "fioc")


def lstm_backward(dh, dc, cache):
    x, h, c = cache["x"], cache["h"], cache["c"]
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    h_before = np.concatenate([cache["h0"][:, None], h[:, :-1]], axis=1)
    c_before = np.concatenate([cache["c0"][:, None], c[:, :-1]], axis=1)
    rows = np.concatenate([h_before, x], axis=2)
    tanh_c = np.tanh(c)
    W, _ = fuse(cache["params"], "fioc")
    n = h.shape[2]

    da = np.zeros((*h.shape[:2], 4 * n))
    d_rows = np.zeros(rows.shape)
    dh_next, dc_next = np.zeros_like(h[:, 0]), np.zeros_like(c[:, 0])
    for t in reversed(range(x.shape[1])):
        dh_t = dh[:, t] + dh_next
        dc_t = dc[:, t] + dc_next + dh_t * o[:, t] * (1 - tanh_c[:, t] ** 2)
        da[:, t, :n] = dc_t * c_before[:, t] * f[:, t] * (1 - f[:, t])
        da[:, t, n : 2 * n] = dc_t * g[:, t] * i[:, t] * (1 - i[:, t])
        da[:, t, 2 * n : 3 * n] = dh_t * tanh_c[:, t] * o[:, t] * (1 - o[:, t])
        da[:, t, 3 * n :] = dc_t * i[:, t] * (1 - g[:, t] ** 2)
        d_rows[:, t] = da[:, t] @ W
        dh_next = d_rows[:, t, :n]
        dc_next = dc_t * f[:, t]
    dW = np.einsum("bta,btr->ar", da, rows)
    return d_rows[:, :, n:], dh_next, dc_next, unfuse(dW, da.sum(axis=(0, 1)), "fioc")


def gru_parts(x_t, h_prev, params):
    W, b = fuse(params, "zr")
    z, r = np.split(sigma(np.hstack([h_prev, x_t]) @ W.T + b), 2, axis=1)
    h_tilde = np.tanh(np.hstack([r * h_prev, x_t]) @ params["W_h"].T + params["b_h"])
    return z, h_tilde


def gru_step(x_t, h_prev, params):
    z, h_tilde = gru_parts(x_t, h_prev, params)
    return (1 - z) * h_prev + z * h_tilde


def gru_step_keep(x_t, h_prev, params):
    z, h_tilde = gru_parts(x_t, h_prev, params)
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params):
    return {name: -a if name.endswith("_z") else a.copy() for name, a in params.items()}


def gru_step_backward(dh, cache):
    x_t, h_prev, z, r, h_tilde = (cache[k] for k in ("x_t", "h_prev", "z", "r", "h_tilde"))
    params = cache["params"]
    n = h_prev.shape[1]
    da_h = dh * z * (1 - h_tilde**2)
    d_row_h = da_h @ params["W_h"]
    da_zr = np.hstack([dh * (h_tilde - h_prev) * z * (1 - z), d_row_h[:, :n] * h_prev * r * (1 - r)])
    W, _ = fuse(params, "zr")
    d_row = da_zr @ W
    dh_prev = dh * (1 - z) + d_row_h[:, :n] * r + d_row[:, :n]
    dx = d_row_h[:, n:] + d_row[:, n:]
    grads = unfuse(da_zr.T @ np.hstack([h_prev, x_t]), da_zr.sum(axis=0), "zr")
    grads["W_h"] = da_h.T @ np.hstack([r * h_prev, x_t])
    grads["b_h"] = da_h.sum(axis=0)
    return dx, dh_prev, grads


def run_layer(x, layer):
    drive = x @ layer["W_x"].T + layer["b"]
    h, states = layer["h0"], []
    for t in range(x.shape[1]):
        h = np.tanh(drive[:, t] + h @ layer["W_h"].T)
        states.append(h)
    return np.stack(states, axis=1)


def stacked_forward(x, layers):
    for layer in layers:
        x = run_layer(x, layer)
    return x


def bidirectional_forward(x, lengths, forward, backward):
    t = np.arange(x.shape[1])
    last = np.asarray(lengths)[:, None] - 1
    real = t <= last
    turned = np.where(real, last - t, t)
    rows = np.arange(len(x))[:, None]
    right = run_layer(x, forward)
    left = run_layer(x[rows, turned], backward)[rows, turned]
    return np.where(real[:, :, None], np.concatenate([right, left], axis=2), 0.0)


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
        h_prev, c_prev = state
        row = torch.cat([x_t, h_prev], dim=1)
        W = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        i, f, g, o = torch.chunk(row @ W.T + self.bias_ih + self.bias_hh, 4, dim=1)
        c_t = f.sigmoid() * c_prev + i.sigmoid() * g.tanh()
        return o.sigmoid() * c_t.tanh(), c_t


def debugging_lab():
    return {"run_1": "a", "run_2": "b", "run_3": "d", "run_4": "a", "run_5": "b"}


def quiz():
    return {
        "what_the_cell_buys": "a",
        "what_reset_does": "b",
        "when_bidirectional": "c",
        "open_and_closed": "d",
        "how_many_weights": "c",
        "kept_in_the_cell": "a",
        "untrained_gate": "d",
        "update_share": "b",
    }
