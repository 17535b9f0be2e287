# %% a3, einsum; W is cut into the columns for h and those for x
import numpy as np
import torch
from torch import nn

PRINT = False


def sigmoid(a):
    return 1.0 / (1.0 + np.exp(-np.clip(a, -700, 700)))


def pre(params, name, h, x):
    H = h.shape[-1]
    W = params["W_" + name]
    return (
        np.einsum("jk,bk->bj", W[:, :H], h)
        + np.einsum("jk,bk->bj", W[:, H:], x)
        + params["b_" + name]
    )


def gated_update(h_prev, candidate, z):
    keep = 1 - z
    return np.add(keep * h_prev, z * candidate)


# %% LSTM
def lstm_gates(x_t, h_prev, params):
    f = sigmoid(pre(params, "f", h_prev, x_t))
    i = sigmoid(pre(params, "i", h_prev, x_t))
    o = sigmoid(pre(params, "o", h_prev, x_t))
    c_tilde = np.tanh(pre(params, "c", h_prev, x_t))
    if PRINT:
        print("gates", f, i, o, c_tilde)
    return f, i, o, c_tilde


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    erased = f * c_prev
    written = i * c_tilde
    c_t = erased + written
    revealed = np.tanh(c_t)
    h_t = o * revealed
    return h_t, c_t


def lstm_forward(x, h0, c0, params):
    h = np.zeros(x.shape[:2] + h0.shape[1:])
    c = np.zeros_like(h)
    for t in range(x.shape[1]):
        before = (h0, c0) if t == 0 else (h[:, t - 1], c[:, t - 1])
        h[:, t], c[:, t] = lstm_step(x[:, t], *before, params)
    return h, c


def lstm_step_backward(dh, dc, cache):
    p = cache["params"]
    H = dh.shape[1]
    h, x = cache["h_prev"], cache["x_t"]
    f, i, o, ct = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    th = np.tanh(cache["c_t"])
    d_o = dh * th
    d_c = dc + dh * o * (1 - th**2)
    d_f = d_c * cache["c_prev"]
    d_i = d_c * ct
    d_ct = d_c * i

    a_f = d_f * f * (1 - f)
    a_i = d_i * i * (1 - i)
    a_o = d_o * o * (1 - o)
    a_c = d_ct * (1 - ct**2)

    dh_prev = sum(np.einsum("bj,jk->bk", a, p[W][:, :H]) for a, W in ((a_f, "W_f"), (a_i, "W_i"), (a_o, "W_o"), (a_c, "W_c")))
    dx = sum(np.einsum("bj,jk->bk", a, p[W][:, H:]) for a, W in ((a_f, "W_f"), (a_i, "W_i"), (a_o, "W_o"), (a_c, "W_c")))
    grads = {}
    for name, a in zip("fioc", (a_f, a_i, a_o, a_c)):
        grads["W_" + name] = np.einsum("bj,bk->jk", a, np.c_[h, x])
        grads["b_" + name] = np.einsum("bj->j", a)
    return dx, dh_prev, d_c * f, grads


def lstm_backward(dh, dc, cache):
    B, T, H = dh.shape
    dx = np.zeros(cache["x"].shape)
    grads = {}
    for name, value in cache["params"].items():
        grads[name] = np.zeros(np.shape(value))
    h_carry = np.zeros((B, H))
    c_carry = np.zeros((B, H))
    for t in range(T - 1, -1, -1):
        first = t == 0
        small = {
            "x_t": cache["x"][:, t],
            "h_prev": cache["h0"] if first else cache["h"][:, t - 1],
            "c_prev": cache["c0"] if first else cache["c"][:, t - 1],
            "c_t": cache["c"][:, t],
            "params": cache["params"],
        }
        for gate in ["f", "i", "o", "c_tilde"]:
            small[gate] = cache[gate][:, t]
        out = lstm_step_backward(dh[:, t] + h_carry, dc[:, t] + c_carry, small)
        dx[:, t] = out[0]
        h_carry = out[1]
        c_carry = out[2]
        for name, g in out[3].items():
            grads[name] += g
        if PRINT:
            print(t, np.abs(h_carry).max())
    return dx, h_carry, c_carry, grads


# %% GRU
def gru_step(x_t, h_prev, params):
    z = sigmoid(pre(params, "z", h_prev, x_t))
    r = sigmoid(pre(params, "r", h_prev, x_t))
    h_tilde = np.tanh(pre(params, "h", r * h_prev, x_t))
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t, h_prev, params):
    z = sigmoid(pre(params, "z", h_prev, x_t))
    r = sigmoid(pre(params, "r", h_prev, x_t))
    h_tilde = np.tanh(pre(params, "h", r * h_prev, x_t))
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params):
    new = dict(params)
    for name in ("W_z", "b_z"):
        new[name] = -1 * params[name]
    return new


def gru_step_backward(dh, cache):
    p = cache["params"]
    h, x, z, r, ht = cache["h_prev"], cache["x_t"], cache["z"], cache["r"], cache["h_tilde"]
    H = h.shape[1]

    # last line
    dh_prev = dh * (1 - z)
    a_z = dh * (ht - h) * z * (1 - z)
    a_h = dh * z * (1 - ht**2)
    # candidate
    d_rh = np.einsum("bj,jk->bk", a_h, p["W_h"][:, :H])
    dx = np.einsum("bj,jk->bk", a_h, p["W_h"][:, H:])
    dh_prev = dh_prev + d_rh * r
    a_r = d_rh * h * r * (1 - r)
    # gates
    for a, W in ((a_z, p["W_z"]), (a_r, p["W_r"])):
        dh_prev = dh_prev + np.einsum("bj,jk->bk", a, W[:, :H])
        dx = dx + np.einsum("bj,jk->bk", a, W[:, H:])
    grads = {
        "W_z": np.einsum("bj,bk->jk", a_z, np.c_[h, x]),
        "W_r": np.einsum("bj,bk->jk", a_r, np.c_[h, x]),
        "W_h": np.einsum("bj,bk->jk", a_h, np.c_[r * h, x]),
        "b_z": a_z.sum(0),
        "b_r": a_r.sum(0),
        "b_h": a_h.sum(0),
    }
    return dx, dh_prev, grads


# %% deep and bidirectional
def elman(x, layer):
    a = np.einsum("btf,hf->bth", x, layer["W_x"]) + layer["b"]
    h = np.zeros(a.shape)
    for t in range(a.shape[1]):
        prev = layer["h0"] if t == 0 else h[:, t - 1]
        h[:, t] = np.tanh(a[:, t] + np.einsum("bk,hk->bh", prev, layer["W_h"]))
    return h


def stacked_forward(x, layers):
    h = x
    for layer in layers:
        h = elman(h, layer)
    return h


def bidirectional_forward(x, lengths, forward, backward):
    """Every row on its own, without its padding."""
    Hf, Hb = len(forward["b"]), len(backward["b"])
    out = np.zeros((x.shape[0], x.shape[1], Hf + Hb))
    for n, L in enumerate(lengths):
        text = x[n : n + 1, :L]
        fw = {**forward, "h0": forward["h0"][n : n + 1]}
        bw = {**backward, "h0": backward["h0"][n : n + 1]}
        out[n, :L, :Hf] = elman(text, fw)[0]
        out[n, :L, Hf:] = elman(text[:, ::-1], bw)[0, ::-1]
    return out


# %% torch
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
        n, H = x_t.shape[0], self.hidden_size
        h_prev, c_prev = state if state is not None else (torch.zeros(n, H).to(x_t), torch.zeros(n, H).to(x_t))
        a = torch.einsum("gf,bf->bg", self.weight_ih, x_t) + torch.einsum("gh,bh->bg", self.weight_hh, h_prev)
        a = a + self.bias_ih + self.bias_hh
        i = torch.sigmoid(a[:, 0 * H : 1 * H])
        f = torch.sigmoid(a[:, 1 * H : 2 * H])
        g = torch.tanh(a[:, 2 * H : 3 * H])
        o = torch.sigmoid(a[:, 3 * H : 4 * H])
        c_t = f * c_prev + i * g
        return o * torch.tanh(c_t), c_t


def debugging_lab():
    return dict(run_1="b", run_2="a", run_3="d", run_4="c", run_5="d")


def quiz():
    names = ("what_the_cell_buys", "what_reset_does", "when_bidirectional", "open_and_closed",
             "how_many_weights", "kept_in_the_cell", "untrained_gate", "update_share")
    return dict(zip(names, "abcccccc"))


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    s = np.linspace(-6, 6)
    plt.plot(s, sigmoid(s))
    plt.show()
