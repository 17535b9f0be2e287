"""torch tensors inside, numpy outside; a small class per layer, and outer products instead of transposes."""

import numpy as np
import torch
from torch import nn


def T(a):
    return torch.as_tensor(np.array(a, dtype=np.float64))


class Linear:
    """a = W [h; x] + b, and its way back."""

    def __init__(self, W, b):
        self.W, self.b = T(W), T(b)

    def __call__(self, row):
        return torch.addmm(self.b, row, self.W.t())

    def back(self, da, row):
        dW = torch.bmm(da.unsqueeze(2), row.unsqueeze(1)).sum(dim=0)  # one outer product per sequence
        return da.mm(self.W), dW.numpy(), da.sum(dim=0).numpy()


class PlainLayer:
    def __init__(self, weights):
        self.W_x, self.W_h, self.b, self.h0 = (T(weights[k]) for k in ("W_x", "W_h", "b", "h0"))

    def __call__(self, x):
        out, h = [], self.h0
        for x_t in x.unbind(dim=1):
            h = torch.tanh(self.W_x.mm(x_t.t()) + self.W_h.mm(h.t()) + self.b[:, None]).t()
            out.append(h)
        return torch.stack(out, dim=1)


def gated_update(h_prev, candidate, z):
    return torch.lerp(T(h_prev), T(candidate), T(z)).numpy()


def lstm_gates(x_t, h_prev, params):
    row = torch.cat((T(h_prev), T(x_t)), dim=1)
    sums = {g: Linear(params["W_" + g], params["b_" + g])(row) for g in "fioc"}
    f, i, o = (torch.sigmoid(sums[g]).numpy() for g in "fio")
    return f, i, o, torch.tanh(sums["c"]).numpy()


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = gated_sum(f, c_prev, i, c_tilde)
    return o * np.tanh(c_t), c_t


def gated_sum(f, a, i, b):
    return f * a + i * b


def lstm_forward(x, h0, c0, params):
    h, c = h0, c0
    all_h = np.empty((x.shape[1], *h0.shape))
    all_c = np.empty((x.shape[1], *c0.shape))
    for t, x_t in enumerate(np.moveaxis(x, 1, 0)):
        h, c = lstm_step(x_t, h, c, params)
        all_h[t], all_c[t] = h, c
    return np.moveaxis(all_h, 0, 1), np.moveaxis(all_c, 0, 1)


def lstm_step_backward(dh, dc, cache):
    dh, dc = T(dh), T(dc)
    x_t, h_prev, c_prev, f, i, o, c_tilde, c_t = (
        T(cache[k]) for k in ("x_t", "h_prev", "c_prev", "f", "i", "o", "c_tilde", "c_t")
    )
    params = cache["params"]
    s = torch.tanh(c_t)
    d_cell = dc + dh * o * (1 - s.square())
    d_sums = {
        "f": d_cell * c_prev * f * (1 - f),
        "i": d_cell * c_tilde * i * (1 - i),
        "o": dh * s * o * (1 - o),
        "c": d_cell * i * (1 - c_tilde.square()),
    }
    row = torch.cat((h_prev, x_t), dim=1)
    d_row = torch.zeros_like(row)
    grads = {}
    for g in d_sums:
        part, dW, db = Linear(params["W_" + g], params["b_" + g]).back(d_sums[g], row)
        d_row += part
        grads["W_" + g], grads["b_" + g] = dW, db
    dh_prev, dx = d_row.split([h_prev.shape[1], x_t.shape[1]], dim=1)
    return dx.numpy(), dh_prev.numpy(), (d_cell * f).numpy(), grads


def lstm_backward(dh, dc, cache):
    params = cache["params"]
    steps = cache["x"].shape[1]
    hs = [cache["h0"]] + list(np.moveaxis(cache["h"], 1, 0))
    cs = [cache["c0"]] + list(np.moveaxis(cache["c"], 1, 0))
    from_h, from_c = 0.0, 0.0
    dxs, grads = [], {k: 0.0 for k in params}
    for t in range(steps)[::-1]:
        step = {k: cache[k][:, t] for k in ("f", "i", "o", "c_tilde")}
        step.update(x_t=cache["x"][:, t], h_prev=hs[t], c_prev=cs[t], c_t=cs[t + 1], params=params)
        dx, from_h, from_c, g = lstm_step_backward(dh[:, t] + from_h, dc[:, t] + from_c, step)
        dxs.append(dx)
        grads = {k: grads[k] + g[k] for k in params}
    return np.stack(dxs[::-1], axis=1), from_h, from_c, grads


class GRU:
    def __init__(self, params):
        self.z = Linear(params["W_z"], params["b_z"])
        self.r = Linear(params["W_r"], params["b_r"])
        self.h = Linear(params["W_h"], params["b_h"])

    def look(self, x_t, h_prev):
        row = torch.cat((h_prev, x_t), dim=1)
        z, r = torch.sigmoid(self.z(row)), torch.sigmoid(self.r(row))
        return z, torch.tanh(self.h(torch.cat((r * h_prev, x_t), dim=1)))


def gru_step(x_t, h_prev, params):
    z, new = GRU(params).look(T(x_t), T(h_prev))
    return ((1 - z) * T(h_prev) + z * new).numpy()


def gru_step_keep(x_t, h_prev, params):
    z, new = GRU(params).look(T(x_t), T(h_prev))
    return (z * T(h_prev) + (1 - z) * new).numpy()


def convert_gru(params):
    signs = {"W_z": -1.0, "b_z": -1.0}
    return {name: signs.get(name, 1.0) * array for name, array in params.items()}


def gru_step_backward(dh, cache):
    net = GRU(cache["params"])
    dh = T(dh)
    x, h, z, r, new = (T(cache[k]) for k in ("x_t", "h_prev", "z", "r", "h_tilde"))
    H, X = h.shape[1], x.shape[1]
    row, reset_row = torch.cat((h, x), 1), torch.cat((r * h, x), 1)

    to_candidate, dW_h, db_h = net.h.back(dh * z * (1 - new**2), reset_row)
    d_rh, dx = to_candidate.split([H, X], 1)
    to_z, dW_z, db_z = net.z.back(dh * (new - h) * z * (1 - z), row)
    to_r, dW_r, db_r = net.r.back(d_rh * h * r * (1 - r), row)

    dh_prev = dh * (1 - z) + d_rh * r + to_z[:, :H] + to_r[:, :H]
    dx = dx + to_z[:, H:] + to_r[:, H:]
    grads = dict(W_z=dW_z, W_r=dW_r, W_h=dW_h, b_z=db_z, b_r=db_r, b_h=db_h)
    return dx.numpy(), dh_prev.numpy(), grads


def stacked_forward(x, layers):
    net = nn.Sequential()
    h = T(x)
    for layer in map(PlainLayer, layers):
        h = layer(h)
    return h.numpy()


def bidirectional_forward(x, lengths, forward, backward):
    x = T(x)
    batch, time, _ = x.shape
    out = torch.zeros(batch, time, len(forward["b"]) + len(backward["b"]), dtype=torch.float64)
    hidden = len(forward["b"])
    out[..., :hidden] = PlainLayer(forward)(x)
    # backward: walk from the right, and keep h0 as long as a row is in its padding
    layer = PlainLayer(backward)
    h = layer.h0
    ends = torch.as_tensor(np.array(lengths))
    for t in reversed(range(time)):
        new = torch.tanh(x[:, t] @ layer.W_x.T + h @ layer.W_h.T + layer.b)
        is_real = (t < ends)[:, None]
        h = torch.where(is_real, new, h)
        out[:, t, hidden:] = h
    for n in range(batch):
        out[n, int(ends[n]) :] = 0
    return out.numpy()


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
        h_prev = c_prev = x_t.new_zeros((len(x_t), self.hidden_size))
        if state is not None:
            h_prev, c_prev = state
        sums = nn.functional.linear(x_t, self.weight_ih, self.bias_ih)
        sums = sums + nn.functional.linear(h_prev, self.weight_hh, self.bias_hh)
        i, f, g, o = sums.view(len(x_t), 4, self.hidden_size).unbind(dim=1)
        c_t = torch.sigmoid(f).mul(c_prev).add(torch.sigmoid(i).mul(torch.tanh(g)))
        h_t = torch.sigmoid(o).mul(torch.tanh(c_t))
        return h_t, c_t


def debugging_lab():
    answers = {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "c", "run_5": "d"}
    return answers


def quiz():
    answers = {
        "what_the_cell_buys": "a",
        "what_reset_does": "b",
        "when_bidirectional": "d",
        "open_and_closed": "d",
        "how_many_weights": "d",
        "kept_in_the_cell": "d",
        "untrained_gate": "d",
        "update_share": "d",
    }
    return answers
