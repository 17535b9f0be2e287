"""Lets torch do the work: its linear layers, its RNN forward, packed sequences for the padding."""

import numpy as np
import torch


def _t(a):
    return torch.tensor(np.asarray(a), dtype=torch.float64)


def _step(x, h, c, p):
    row = torch.cat([h, x], dim=-1)
    f, i, o = (torch.sigmoid(row @ p[f"W_{g}"].T + p[f"b_{g}"]) for g in "fio")
    c = f * c + i * torch.tanh(row @ p["W_c"].T + p["b_c"])
    return o * torch.tanh(c), c


def gated_update(h_prev, candidate, z):
    return torch.lerp(_t(h_prev), _t(candidate), _t(z)).numpy()


def lstm_gates(x_t, h_prev, params):
    row = torch.cat([_t(h_prev), _t(x_t)], dim=-1)
    sums = [torch.nn.functional.linear(row, _t(params[f"W_{g}"]), _t(params[f"b_{g}"])) for g in "fioc"]
    return tuple((a.sigmoid() if n < 3 else a.tanh()).numpy() for n, a in enumerate(sums))


def _torch_params(params, hidden):
    W = _t(np.concatenate([params[f"W_{g}"] for g in "ifco"]))
    b = _t(np.concatenate([params[f"b_{g}"] for g in "ifco"]))
    return W[:, hidden:].contiguous(), W[:, :hidden].contiguous(), b, torch.zeros_like(b)


def _packed_step(x, h, c, weight_ih, weight_hh, bias_ih, bias_hh):
    linear = torch.nn.functional.linear
    i, f, g, o = (linear(x, weight_ih, bias_ih) + linear(h, weight_hh, bias_hh)).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def lstm_step(x_t, h_prev, c_prev, params):
    h, c = _packed_step(_t(x_t), _t(h_prev), _t(c_prev), *_torch_params(params, h_prev.shape[1]))
    return h.numpy(), c.numpy()


def lstm_forward(x, h0, c0, params):
    h, c, p = _t(h0), _t(c0), {name: _t(value) for name, value in params.items()}
    pairs = []
    for x_t in _t(x).unbind(1):
        h, c = _step(x_t, h, c, p)
        pairs.append(torch.stack([h, c]))
    return tuple(torch.stack(pairs, dim=2).numpy())


def _gru(x, h, p):
    row = torch.cat([h, x], dim=-1)
    z, r = (torch.sigmoid(row @ p[f"W_{g}"].T + p[f"b_{g}"]) for g in "zr")
    return h, z, torch.tanh(torch.cat([r * h, x], dim=-1) @ p["W_h"].T + p["b_h"])


def gru_step(x_t, h_prev, params):
    h, z, h_tilde = _gru(_t(x_t), _t(h_prev), {name: _t(value) for name, value in params.items()})
    return ((1 - z) * h + z * h_tilde).numpy()


def gru_step_keep(x_t, h_prev, params):
    h, z, h_tilde = _gru(_t(x_t), _t(h_prev), {name: _t(value) for name, value in params.items()})
    return (z * h + (1 - z) * h_tilde).numpy()


def _rnn_of(layer):
    hidden, features = layer["W_x"].shape
    rnn = torch.nn.RNN(features, hidden, batch_first=True, dtype=torch.float64)
    state = {"weight_ih_l0": layer["W_x"], "weight_hh_l0": layer["W_h"], "bias_ih_l0": layer["b"]}
    rnn.load_state_dict({name: _t(value) for name, value in state.items()} | {"bias_hh_l0": torch.zeros(hidden)})
    return rnn


@torch.no_grad()
def stacked_forward(x, layers):
    out = _t(x)
    for layer in layers:
        out, _ = _rnn_of(layer)(out, _t(layer["h0"])[None])
    return out.numpy()


@torch.no_grad()
def bidirectional_forward(x, lengths, forward, backward):
    def run(layer, rows):
        packed = torch.nn.utils.rnn.pack_sequence([_t(row) for row in rows], enforce_sorted=False)
        out, _ = _rnn_of(layer)(packed, _t(layer["h0"])[None])
        return torch.nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])[0]

    rows = [row[:length] for row, length in zip(x, lengths)]
    left = run(backward, [row[::-1].copy() for row in rows])
    for n, length in enumerate(lengths):
        left[n, :length] = left[n, :length].flip(0)
    return torch.cat([run(forward, rows), left], dim=-1).numpy()


class LSTMCell(LSTMCell):
    def forward(self, x_t, state=None):
        if state is None:
            state = (torch.zeros(x_t.size(0), self.hidden_size, device=x_t.device),) * 2
        return _packed_step(x_t, *state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
