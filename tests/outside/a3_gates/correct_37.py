"""LSTM / GRU with all gates packed into one product."""

import numpy as np
import torch
from torch import nn

LSTM_ORDER = "fioc"


def sigma(a):
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1 / (1 + e), e / (1 + e))


def pack(params, letters):
    W = np.concatenate([params[f"W_{k}"] for k in letters], axis=0)
    b = np.concatenate([params[f"b_{k}"] for k in letters])
    return W, b


def unpack(dW, db, letters):
    k = len(letters)
    grads = {f"W_{c}": part for c, part in zip(letters, np.split(dW, k, axis=0))}
    grads.update({f"b_{c}": part for c, part in zip(letters, np.split(db, k))})
    return grads


def gated_update(h_prev, candidate, z):
    return (1 - z) * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    W, b = pack(params, LSTM_ORDER)
    a = np.concatenate([h_prev, x_t], axis=-1) @ W.T + b
    n = h_prev.shape[-1]
    s = sigma(a[..., : 3 * n])
    return s[..., :n], s[..., n : 2 * n], s[..., 2 * n :], np.tanh(a[..., 3 * n :])


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev
    c_t += i * c_tilde
    h_t = o * np.tanh(c_t)
    return h_t, c_t


def lstm_forward(x, h0, c0, params):
    batch, time = x.shape[:2]
    h = np.zeros((batch, time + 1, h0.shape[1]))
    c = np.zeros_like(h)
    h[:, 0], c[:, 0] = h0, c0
    for t in range(time):
        h[:, t + 1], c[:, t + 1] = lstm_step(x[:, t], h[:, t], c[:, t], params)
    return h[:, 1:], c[:, 1:]


def _lstm_da(dh, dc, c_prev, c_t, f, i, o, c_tilde):
    """Gradients before the nonlinearities, packed in LSTM_ORDER, and dc_prev."""
    t = np.tanh(c_t)
    dc = dc + dh * o * (1 - t * t)
    df, di, do, dg = dc * c_prev, dc * c_tilde, dh * t, dc * i
    packed = np.concatenate(
        [df * f * (1 - f), di * i * (1 - i), do * o * (1 - o), dg * (1 - c_tilde * c_tilde)], axis=-1
    )
    return packed, dc * f


def lstm_step_backward(dh, dc, cache):
    names = ("c_prev", "c_t", "f", "i", "o", "c_tilde")
    da, dc_prev = _lstm_da(dh, dc, *(cache[k] for k in names))
    W, _ = pack(cache["params"], LSTM_ORDER)
    row = np.concatenate([cache["h_prev"], cache["x_t"]], axis=1)
    drow = da @ W
    n = cache["h_prev"].shape[1]
    return drow[:, n:], drow[:, :n], dc_prev, unpack(da.T @ row, da.sum(axis=0), LSTM_ORDER)


def lstm_backward(dh, dc, cache):
    W, _ = pack(cache["params"], LSTM_ORDER)
    x, h, c = cache["x"], cache["h"], cache["c"]
    n = h.shape[2]
    time = x.shape[1]
    h_before = np.concatenate([cache["h0"][:, None], h[:, :-1]], axis=1)
    c_before = np.concatenate([cache["c0"][:, None], c[:, :-1]], axis=1)

    da = np.zeros((x.shape[0], time, 4 * n))
    back_h = np.zeros((x.shape[0], n))
    back_c = np.zeros((x.shape[0], n))
    for t in range(time)[::-1]:
        da[:, t], back_c = _lstm_da(
            dh[:, t] + back_h,
            dc[:, t] + back_c,
            c_before[:, t],
            c[:, t],
            cache["f"][:, t],
            cache["i"][:, t],
            cache["o"][:, t],
            cache["c_tilde"][:, t],
        )
        back_h = da[:, t] @ W[:, :n]
    dx = da @ W[:, n:]
    rows = np.concatenate([h_before, x], axis=2)
    dW = np.einsum("bta,btr->ar", da, rows)
    return dx, back_h, back_c, unpack(dW, da.sum(axis=(0, 1)), LSTM_ORDER)


def gru_step(x_t, h_prev, params):
    # the other convention with the gate the other way round
    return gru_step_keep(x_t, h_prev, convert_gru(params))


def gru_step_keep(x_t, h_prev, params):
    n = h_prev.shape[1]
    W, b = pack(params, "zr")
    zr = sigma(np.concatenate([h_prev, x_t], axis=1) @ W.T + b)
    z, r = zr[:, :n], zr[:, n:]
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params):
    flipped = dict(params)
    flipped["W_z"] = np.negative(params["W_z"])
    flipped["b_z"] = np.negative(params["b_z"])
    return flipped


def gru_step_backward(dh, cache):
    params, x_t, h_prev = cache["params"], cache["x_t"], cache["h_prev"]
    z, r, h_tilde = cache["z"], cache["r"], cache["h_tilde"]
    n = h_prev.shape[1]
    row_c = np.concatenate([r * h_prev, x_t], axis=1)
    row = np.concatenate([h_prev, x_t], axis=1)

    # candidate
    da_c = (dh * z) * (1 - h_tilde * h_tilde)
    drow_c = da_c @ params["W_h"]
    # both gates
    dr = drow_c[:, :n] * h_prev
    dz = dh * h_tilde - dh * h_prev
    da = np.concatenate([dz * z * (1 - z), dr * r * (1 - r)], axis=1)
    W, _ = pack(params, "zr")
    drow = da @ W

    dx = drow[:, n:] + drow_c[:, n:]
    dh_prev = drow[:, :n] + drow_c[:, :n] * r + dh * (1 - z)
    grads = unpack(da.T @ row, da.sum(axis=0), "zr")
    grads.update(unpack(da_c.T @ row_c, da_c.sum(axis=0), "h"))
    return dx, dh_prev, grads


def elman(x_t, h, layer):
    return np.tanh(np.einsum("bf,hf->bh", x_t, layer["W_x"]) + np.einsum("bg,hg->bh", h, layer["W_h"]) + layer["b"])


def stacked_forward(x, layers):
    # all layers at once, step by step
    states = [layer["h0"] for layer in layers]
    top = []
    for t in range(x.shape[1]):
        signal = x[:, t]
        for k, layer in enumerate(layers):
            states[k] = elman(signal, states[k], layer)
            signal = states[k]
        top.append(signal)
    return np.array(top).transpose(1, 0, 2)


def bidirectional_forward(x, lengths, forward, backward):
    batch, time, _ = x.shape
    real = np.arange(time) < np.asarray(lengths)[:, None]
    x = np.where(real[:, :, None], x, 0)
    hf, hb = forward["h0"], backward["h0"]
    fs, bs = [None] * time, [None] * time
    for t in range(time):
        hf = elman(x[:, t], hf, forward)
        fs[t] = hf
    for t in range(time - 1, -1, -1):
        # rows that are still in their padding keep h0
        hb = np.where(real[:, t, None], elman(x[:, t], hb, backward), hb)
        bs[t] = hb
    both = np.concatenate([np.stack(fs, 1), np.stack(bs, 1)], axis=2)
    return both * real[:, :, None]


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
        n = self.hidden_size
        if state is None:
            h_prev = torch.zeros(x_t.size(0), n, dtype=x_t.dtype, device=x_t.device)
            c_prev = torch.zeros_like(h_prev)
        else:
            h_prev, c_prev = state
        W = torch.cat([self.weight_hh, self.weight_ih], dim=1)
        a = torch.cat([h_prev, x_t], dim=1) @ W.t() + (self.bias_ih + self.bias_hh)
        a = a.view(-1, 4, n)
        i = torch.sigmoid(a[:, 0])
        f = torch.sigmoid(a[:, 1])
        g = torch.tanh(a[:, 2])
        o = torch.sigmoid(a[:, 3])
        c_t = torch.addcmul(f * c_prev, i, g)
        return o * torch.tanh(c_t), c_t


def debugging_lab():
    return {"run_" + str(i + 1): c for i, c in enumerate("badcb")}


def quiz():
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
