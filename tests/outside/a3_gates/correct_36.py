import numpy as np
import torch
from torch import nn


def sig(a):
    # tanh never overflows
    return 0.5 * (1.0 + np.tanh(0.5 * a))


def affine(W, b, h, x):
    """W [h; x] + b without building the row."""
    n = h.shape[-1]
    return np.dot(h, W[:, :n].T) + np.dot(x, W[:, n:].T) + b


def gated_update(h_prev, candidate, z):
    return h_prev - z * h_prev + z * candidate


def lstm_gates(x_t, h_prev, params):
    out = []
    for letter, act in (("f", sig), ("i", sig), ("o", sig), ("c", np.tanh)):
        out.append(act(affine(params["W_" + letter], params["b_" + letter], h_prev, x_t)))
    return tuple(out)


def lstm_step(x_t, h_prev, c_prev, params):
    forget, inp, outp, cand = lstm_gates(x_t, h_prev, params)
    c_new = forget * c_prev + inp * cand
    return outp * np.tanh(c_new), c_new


def lstm_forward(x, h0, c0, params):
    hs, cs = [], []
    state = (h0, c0)
    for x_t in np.swapaxes(x, 0, 1):
        state = lstm_step(x_t, *state, params)
        hs.append(state[0])
        cs.append(state[1])
    return np.stack(hs, 1), np.stack(cs, 1)


def lstm_step_backward(dh, dc, cache):
    p = cache["params"]
    x_t, h_prev, c_prev = cache["x_t"], cache["h_prev"], cache["c_prev"]
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    tc = np.tanh(cache["c_t"])
    n = h_prev.shape[1]

    dc_all = dc + dh * o * (1 - tc**2)
    da = {
        "f": dc_all * c_prev * f * (1 - f),
        "i": dc_all * g * i * (1 - i),
        "o": dh * tc * o * (1 - o),
        "c": dc_all * i * (1 - g**2),
    }
    row = np.hstack((h_prev, x_t))
    grads = {}
    dh_prev = np.zeros(h_prev.shape)
    dx = np.zeros(x_t.shape)
    for k, a in da.items():
        grads["W_" + k] = a.T @ row
        grads["b_" + k] = a.sum(0)
        dh_prev += a @ p["W_" + k][:, :n]
        dx += a @ p["W_" + k][:, n:]
    return dx, dh_prev, dc_all * f, grads


def lstm_backward(dh, dc, cache):
    x = cache["x"]
    T = x.shape[1]
    dx = np.zeros(x.shape)
    dh_next = np.zeros(cache["h0"].shape)
    dc_next = np.zeros(cache["c0"].shape)
    grads = {k: np.zeros(v.shape) for k, v in cache["params"].items()}
    for t in range(T - 1, -1, -1):
        step = {k: cache[k][:, t] for k in ("f", "i", "o", "c_tilde")}
        step["x_t"] = x[:, t]
        step["c_t"] = cache["c"][:, t]
        step["h_prev"] = cache["h"][:, t - 1] if t > 0 else cache["h0"]
        step["c_prev"] = cache["c"][:, t - 1] if t > 0 else cache["c0"]
        step["params"] = cache["params"]
        dx[:, t], dh_next, dc_next, g = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, step)
        for k in grads:
            grads[k] += g[k]
    return dx, dh_next, dc_next, grads


def gru_parts(x_t, h_prev, params):
    z = sig(affine(params["W_z"], params["b_z"], h_prev, x_t))
    r = sig(affine(params["W_r"], params["b_r"], h_prev, x_t))
    cand = np.tanh(affine(params["W_h"], params["b_h"], r * h_prev, x_t))
    return z, r, cand


def gru_step(x_t, h_prev, params):
    z, _, cand = gru_parts(x_t, h_prev, params)
    return gated_update(h_prev, cand, z)


def gru_step_keep(x_t, h_prev, params):
    z, _, cand = gru_parts(x_t, h_prev, params)
    return gated_update(cand, h_prev, z)


def convert_gru(params):
    new = {}
    for name, p in params.items():
        new[name] = -p if name.endswith("_z") else p.copy()
    return new


def gru_step_backward(dh, cache):
    p = cache["params"]
    x_t, h_prev = cache["x_t"], cache["h_prev"]
    z, r, cand = cache["z"], cache["r"], cache["h_tilde"]
    n = h_prev.shape[1]

    da_h = dh * z * (1 - cand**2)
    d_reset = da_h @ p["W_h"][:, :n]  # gradient of r * h_prev
    da_z = dh * (cand - h_prev) * z * (1 - z)
    da_r = d_reset * h_prev * r * (1 - r)

    dh_prev = dh * (1 - z) + d_reset * r + da_z @ p["W_z"][:, :n] + da_r @ p["W_r"][:, :n]
    dx = da_h @ p["W_h"][:, n:] + da_z @ p["W_z"][:, n:] + da_r @ p["W_r"][:, n:]
    row = np.hstack((h_prev, x_t))
    row_reset = np.hstack((r * h_prev, x_t))
    grads = {
        "W_z": da_z.T @ row,
        "W_r": da_r.T @ row,
        "W_h": da_h.T @ row_reset,
        "b_z": da_z.sum(0),
        "b_r": da_r.sum(0),
        "b_h": da_h.sum(0),
    }
    return dx, dh_prev, grads


def run_layer(x, layer, h0):
    h = h0
    out = []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ layer["W_x"].T + h @ layer["W_h"].T + layer["b"])
        out.append(h)
    return np.stack(out, axis=1)


def stacked_forward(x, layers):
    for layer in layers:
        x = run_layer(x, layer, layer["h0"])
    return x


def bidirectional_forward(x, lengths, forward, backward):
    B, T, _ = x.shape
    nf, nb = forward["b"].shape[0], backward["b"].shape[0]
    out = np.zeros((B, T, nf + nb))
    for row in range(B):
        L = int(lengths[row])
        real = x[row : row + 1, :L]
        out[row, :L, :nf] = run_layer(real, forward, forward["h0"][row : row + 1])[0]
        back = run_layer(real[:, ::-1], backward, backward["h0"][row : row + 1])[0]
        out[row, :L, nf:] = back[::-1]
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

    def forward(self, x_t, state=None):
        if state is None:
            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)
            state = (zeros, zeros)
        h_prev, c_prev = state
        sums = nn.functional.linear(x_t, self.weight_ih, self.bias_ih)
        sums = sums + nn.functional.linear(h_prev, self.weight_hh, self.bias_hh)
        i, f, g, o = sums.chunk(4, dim=-1)
        c_t = f.sigmoid() * c_prev + i.sigmoid() * g.tanh()
        return o.sigmoid() * c_t.tanh(), c_t


def debugging_lab():
    answers = {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "c", "run_5": "b"}
    return answers


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
