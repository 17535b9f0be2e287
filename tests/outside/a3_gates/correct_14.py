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
import torch.nn.functional as F
import torch
from torch import nn

Params = dict[str, np.ndarray]
Cache = dict[str, Any]


def _t(a):
    return torch.tensor(np.ascontiguousarray(a), dtype=torch.float64)


def _fused(params, names):
    return torch.cat([_t(params["W_" + k]) for k in names]), torch.cat([_t(params["b_" + k]) for k in names])


def _unfuse(dW, db, names):
    W, b = dW.chunk(len(names)), db.chunk(len(names))
    return {p + k: part[n].numpy().copy() for p, part in (("W_", W), ("b_", b)) for n, k in enumerate(names)}


def _elman(xs, layer, h):
    W_x, W_h, b = _t(layer["W_x"]), _t(layer["W_h"]), _t(layer["b"])
    hs = []
    for a in F.linear(xs, W_x, b).unbind(1):
        hs.append(h := torch.tanh(a + h @ W_h.T))
    return torch.stack(hs, 1)


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.asarray((1.0 - z) * h_prev + z * candidate)


def lstm_gates(
    x_t: np.ndarray, h_prev: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    a = F.linear(torch.cat([_t(h_prev), _t(x_t)], 1), *_fused(params, "fioc"))
    f, i, o, g = a.chunk(4, 1)
    return f.sigmoid().numpy(), i.sigmoid().numpy(), o.sigmoid().numpy(), g.tanh().numpy()


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    h, c = lstm_forward(x_t[:, None, :], h_prev, c_prev, params)
    return h[:, 0], c[:, 0]


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    (W, b), hc, out = _fused(params, "fioc"), (_t(h0), _t(c0)), []
    for x_t in _t(x).unbind(1):
        f, i, o, g = F.linear(torch.cat([hc[0], x_t], 1), W, b).chunk(4, 1)
        c = f.sigmoid() * hc[1] + i.sigmoid() * g.tanh()
        hc = (o.sigmoid() * c.tanh(), c)
        out.append(hc)
    h, c = zip(*out)
    return torch.stack(h, 1).numpy(), torch.stack(c, 1).numpy()


def lstm_step_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    seq = {k: cache[k][:, None] for k in ("f", "i", "o", "c_tilde")}
    seq |= {"x": cache["x_t"][:, None], "h0": cache["h_prev"], "c0": cache["c_prev"]}
    seq |= {"h": (cache["o"] * np.tanh(cache["c_t"]))[:, None], "c": cache["c_t"][:, None], "params": cache["params"]}
    dx, dh_prev, dc_prev, grads = lstm_backward(dh[:, None], dc[:, None], seq)
    return dx[:, 0], dh_prev, dc_prev, grads


def lstm_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    x, h0, c0, h, c, f, i, o, g = (_t(cache[k]) for k in ("x", "h0", "c0", "h", "c", "f", "i", "o", "c_tilde"))
    W, _ = _fused(cache["params"], "fioc")
    H, tc = h.shape[-1], c.tanh()
    rows = torch.cat([torch.cat([h0[:, None], h[:, :-1]], 1), x], 2)
    c_prev = torch.cat([c0[:, None], c[:, :-1]], 1)
    up_h, up_c, das = _t(dh), _t(dc), []
    dh_t, dc_t = torch.zeros_like(h0), torch.zeros_like(c0)
    for t in range(x.shape[1] - 1, -1, -1):
        dh_t = dh_t + up_h[:, t]
        dc_t = dc_t + up_c[:, t] + dh_t * o[:, t] * (1 - tc[:, t] ** 2)
        das.append(
            torch.cat(
                [
                    dc_t * c_prev[:, t] * f[:, t] * (1 - f[:, t]),
                    dc_t * g[:, t] * i[:, t] * (1 - i[:, t]),
                    dh_t * tc[:, t] * o[:, t] * (1 - o[:, t]),
                    dc_t * i[:, t] * (1 - g[:, t] ** 2),
                ],
                1,
            )
        )
        dh_t, dc_t = das[-1] @ W[:, :H], dc_t * f[:, t]
    da = torch.stack(das[::-1], 1)
    dW = da.flatten(0, 1).T @ rows.flatten(0, 1)
    return (da @ W[:, H:]).numpy(), dh_t.numpy(), dc_t.numpy(), _unfuse(dW, da.sum((0, 1)), "fioc")


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    x, h = _t(x_t), _t(h_prev)
    z, r = F.linear(torch.cat([h, x], 1), *_fused(params, "zr")).sigmoid().chunk(2, 1)
    n = F.linear(torch.cat([r * h, x], 1), *_fused(params, "h")).tanh()
    return torch.lerp(h, n, z).numpy()


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    x, h = _t(x_t), _t(h_prev)
    z, r = F.linear(torch.cat([h, x], 1), *_fused(params, "zr")).sigmoid().chunk(2, 1)
    n = F.linear(torch.cat([r * h, x], 1), *_fused(params, "h")).tanh()
    return torch.lerp(n, h, z).numpy()


def convert_gru(params: Params) -> dict[str, np.ndarray]:
    return {**params, "W_z": -params["W_z"], "b_z": -params["b_z"]}


def gru_step_backward(dh: np.ndarray, cache: Cache) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    d, x, h, z, r, n = map(_t, (dh, *(cache[k] for k in ("x_t", "h_prev", "z", "r", "h_tilde"))))
    (Wg, _), (Wh, _), H = _fused(cache["params"], "zr"), _fused(cache["params"], "h"), h.shape[1]
    an = d * z * (1 - n * n)
    drh, dx = (an @ Wh).tensor_split([H], dim=1)
    ag = torch.cat([d * (n - h) * z * (1 - z), drh * h * r * (1 - r)], 1)
    row = ag @ Wg
    grads = _unfuse(an.T @ torch.cat([r * h, x], 1), an.sum(0), "h")
    grads |= _unfuse(ag.T @ torch.cat([h, x], 1), ag.sum(0), "zr")
    return (dx + row[:, H:]).numpy(), (d * (1 - z) + drh * r + row[:, :H]).numpy(), grads


def stacked_forward(x: np.ndarray, layers: list[Params]) -> np.ndarray:
    h = _t(x)
    for layer in layers:
        h = _elman(h, layer, _t(layer["h0"]))
    return h.numpy()


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    size = [len(layer["b"]) for layer in (forward, backward)]
    xs, lens = _t(x), torch.tensor(np.asarray(lengths).tolist())
    out = xs.new_zeros(*xs.shape[:2], sum(size))
    h0, g0 = _t(forward["h0"]), _t(backward["h0"])
    for L in lens.unique().tolist():  # rows of one length together: among them there is no padding
        rows = (lens == L).nonzero()[:, 0]
        real = xs[rows, :L]
        out[rows, :L] = torch.cat([_elman(real, forward, h0[rows]), _elman(real.flip(1), backward, g0[rows]).flip(1)], 2)
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

    def forward(
        self, x_t: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        h, c = state if state is not None else (x_t.new_zeros(len(x_t), self.hidden_size),) * 2
        a = F.linear(x_t, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        i, f, g, o = a.chunk(4, dim=-1)
        c = torch.addcmul(f.sigmoid() * c, i.sigmoid(), g.tanh())
        return o.sigmoid() * c.tanh(), c


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_the_cell_buys": "",
        "what_reset_does": "",
        "when_bidirectional": "",
        "open_and_closed": "",
        "how_many_weights": "",
        "kept_in_the_cell": "",
        "untrained_gate": "",
        "update_share": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
