import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def to_torch(a):
    if isinstance(a, dict):
        return {k: to_torch(v) for k, v in a.items()}
    return torch.tensor(np.ascontiguousarray(a), dtype=torch.float64)


def to_numpy(a):
    if isinstance(a, dict):
        return {k: to_numpy(v) for k, v in a.items()}
    if isinstance(a, (tuple, list)):
        return tuple(to_numpy(v) for v in a)
    return a.numpy()


class Affine:
    """W [h; x] + b and the way back; one of these for each gate."""

    def __init__(self, params, name):
        self.name, self.W, self.b = name, params[f"W_{name}"], params[f"b_{name}"]

    def __call__(self, h, x):
        return F.linear(torch.cat((h, x), dim=-1), self.W, self.b)

    def back(self, da, h, x, grads):
        grads[f"W_{self.name}"] = torch.einsum("bo,bi->oi", da, torch.cat((h, x), dim=-1))
        grads[f"b_{self.name}"] = da.sum(0)
        return torch.tensor_split(da @ self.W, (h.shape[-1],), dim=-1)


def d_sigmoid(s):
    return s - s.square()


def d_tanh(t):
    return 1 - t.square()


def gated_update(h_prev, candidate, z):
    return np.asarray(z) * candidate + np.subtract(1, z) * h_prev


def _gates(x_t, h_prev, params):
    f, i, o = (Affine(params, n)(h_prev, x_t).sigmoid() for n in "fio")
    return f, i, o, Affine(params, "c")(h_prev, x_t).tanh()


def _lstm(x_t, h, c, params):
    f, i, o, c_tilde = _gates(x_t, h, params)
    c = torch.addcmul(f * c, i, c_tilde)
    return o * c.tanh(), c


def lstm_gates(x_t, h_prev, params):
    return to_numpy(_gates(to_torch(x_t), to_torch(h_prev), to_torch(params)))


def lstm_step(x_t, h_prev, c_prev, params):
    return to_numpy(_lstm(to_torch(x_t), to_torch(h_prev), to_torch(c_prev), to_torch(params)))


def lstm_forward(x, h0, c0, params):
    params = to_torch(params)
    history = [(to_torch(h0), to_torch(c0))]
    for x_t in to_torch(x).unbind(1):
        history.append(_lstm(x_t, *history[-1], params))
    h, c = zip(*history[1:])
    return torch.stack(h, 1).numpy(), torch.stack(c, 1).numpy()


def _lstm_back(dh, dc, k):
    t = k["c_t"].tanh()
    dc = dc + dh * k["o"] * d_tanh(t)
    da = {
        "f": dc * k["c_prev"] * d_sigmoid(k["f"]),
        "i": dc * k["c_tilde"] * d_sigmoid(k["i"]),
        "o": dh * t * d_sigmoid(k["o"]),
        "c": dc * k["i"] * d_tanh(k["c_tilde"]),
    }
    grads, dh_prev, dx = {}, 0, 0
    for name, d in da.items():
        d_h, d_x = Affine(k["params"], name).back(d, k["h_prev"], k["x_t"], grads)
        dh_prev, dx = dh_prev + d_h, dx + d_x
    return dx, dh_prev, dc * k["f"], grads


def lstm_step_backward(dh, dc, cache):
    return to_numpy(_lstm_back(to_torch(dh), to_torch(dc), to_torch(cache)))


def lstm_backward(dh, dc, cache):
    dh, dc, k = to_torch(dh), to_torch(dc), to_torch(cache)
    hs = (k["h0"], *k["h"].unbind(1))
    cs = (k["c0"], *k["c"].unbind(1))
    total = {name: torch.zeros_like(p) for name, p in k["params"].items()}
    dx = torch.empty_like(k["x"])
    dh_t, dc_t = torch.zeros_like(k["h0"]), torch.zeros_like(k["c0"])
    for t in range(dx.shape[1])[::-1]:
        one = {name: k[name][:, t] for name in ("f", "i", "o", "c_tilde")}
        one.update(x_t=k["x"][:, t], h_prev=hs[t], c_prev=cs[t], c_t=cs[t + 1], params=k["params"])
        dx[:, t], dh_t, dc_t, grads = _lstm_back(dh_t + dh[:, t], dc_t + dc[:, t], one)
        for name, g in grads.items():
            total[name] += g
    return to_numpy((dx, dh_t, dc_t, total))


def _gru(x_t, h, params):
    x_t, h, params = to_torch(x_t), to_torch(h), to_torch(params)
    z = Affine(params, "z")(h, x_t).sigmoid()
    r = Affine(params, "r")(h, x_t).sigmoid()
    return h, Affine(params, "h")(r * h, x_t).tanh(), z


def gru_step(x_t, h_prev, params):
    return torch.lerp(*_gru(x_t, h_prev, params)).numpy()


def gru_step_keep(x_t, h_prev, params):
    old, new, z = _gru(x_t, h_prev, params)
    return torch.lerp(new, old, z).numpy()


def convert_gru(params):
    return {**{k: np.array(v) for k, v in params.items()}, "W_z": np.negative(params["W_z"]), "b_z": np.negative(params["b_z"])}


def gru_step_backward(dh, cache):
    dh, k = to_torch(dh), to_torch(cache)
    x_t, h, z, r, h_tilde, p = (k[n] for n in ("x_t", "h_prev", "z", "r", "h_tilde", "params"))
    grads = {}
    d_rh, dx = Affine(p, "h").back(dh * z * d_tanh(h_tilde), r * h, x_t, grads)
    dh_z, dx_z = Affine(p, "z").back(dh * (h_tilde - h) * d_sigmoid(z), h, x_t, grads)
    dh_r, dx_r = Affine(p, "r").back(d_rh * h * d_sigmoid(r), h, x_t, grads)
    return to_numpy((dx + dx_z + dx_r, dh * (1 - z) + d_rh * r + dh_z + dh_r, grads))


def _elman(x, layer):
    layer = to_torch(layer)
    h, out = layer["h0"], []
    for x_t in x.unbind(1):
        h = torch.tanh(F.linear(x_t, layer["W_x"], layer["b"]) + F.linear(h, layer["W_h"]))
        out.append(h)
    return torch.stack(out, 1)


def stacked_forward(x, layers):
    x = to_torch(x)
    for layer in layers:
        x = _elman(x, layer)
    return x.numpy()


def bidirectional_forward(x, lengths, forward, backward):
    x = to_torch(x)
    lengths = [int(n) for n in lengths]

    def turn(a):
        return torch.stack([torch.cat((row[:n].flip(0), row[n:])) for row, n in zip(a, lengths)])

    both = torch.cat((_elman(x, forward), turn(_elman(turn(x), backward))), dim=-1)
    for row, n in zip(both, lengths):
        row[n:] = 0
    return both.numpy()


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
        a = F.linear(x_t, self.weight_ih, self.bias_ih)
        c_prev = 0.0
        if state is not None:
            h_prev, c_prev = state
            a = a + F.linear(h_prev, self.weight_hh)
        a = (a + self.bias_hh).unflatten(-1, (4, self.hidden_size))
        i, f, g, o = a.unbind(-2)
        c_t = torch.sigmoid(f) * c_prev + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c_t), c_t


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
