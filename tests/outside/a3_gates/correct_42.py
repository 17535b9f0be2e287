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
import torch
from torch import nn

Params = dict[str, np.ndarray]
Cache = dict[str, Any]


def _sigmoid(a: np.ndarray) -> np.ndarray:
    """sigma without overflow: exp only ever sees numbers that are not positive."""
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1.0, e) / (1.0 + e)


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Keep the past or take what is new: one decision for each entry, and anything in between.

        h = (1 - z) * h_prev + z * candidate

    Args:
        h_prev: (..., hidden), what was there before.
        candidate: (..., hidden), what might replace it.
        z: (..., hidden), between 0 and 1, ready for use: 0 keeps the past exactly, 1 takes the candidate.

    Returns:
        h: (..., hidden).

    Watch: which of the two does z multiply? Try z = 0 in your head.
    Source: Chung et al. 2014, section 3.2, the update of a GRU; README, section 1.
    """
    return (1 - z) * h_prev + z * candidate


def lstm_gates(
    x_t: np.ndarray, h_prev: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Decide what to erase, what to write, what to reveal, and what there is to write.

        f = sigma(W_f [h_prev; x_t] + b_f)            forget gate
        i = sigma(W_i [h_prev; x_t] + b_i)            input gate
        o = sigma(W_o [h_prev; x_t] + b_o)            output gate
        c_tilde = tanh(W_c [h_prev; x_t] + b_c)       candidate

    Args:
        x_t: (batch, features).
        h_prev: (batch, hidden).
        params: those of an LSTM.

    Returns:
        f, i, o and c_tilde, in this order, each (batch, hidden).

    Watch: the state comes first in the row. Three gates, one candidate; which of them has to be able to say "minus"?
    W_f x for one column x is x @ W_f.T for rows. Sums of 1000 and of -1000 are allowed: a gate is then 1 or 0.
    Source: Hochreiter and Schmidhuber 1997; Gers et al. 2000 for the forget gate; README, section 2.
    """
    row = np.concatenate([h_prev, x_t], axis=1)
    f = _sigmoid(row @ params["W_f"].T + params["b_f"])
    i = _sigmoid(row @ params["W_i"].T + params["b_i"])
    o = _sigmoid(row @ params["W_o"].T + params["b_o"])
    c_tilde = np.tanh(row @ params["W_c"].T + params["b_c"])
    return f, i, o, c_tilde


def lstm_step(x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    """Take one step of an LSTM: erase and write in the cell, then reveal some of it.

        c_t = f * c_prev + i * c_tilde
        h_t = o * tanh(c_t)

    Args:
        x_t: (batch, features).
        h_prev: (batch, hidden).
        c_prev: (batch, hidden).
        params: those of an LSTM.

    Returns:
        h_t and c_t, in this order, each (batch, hidden).

    Watch: the cell state itself goes through no tanh on its way to the next step; only what is revealed does.
    Source: Gers et al. 2000; Jurafsky and Martin, the chapter on RNNs and LSTMs; README, section 2.
    """
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    c_t = f * c_prev + i * c_tilde
    h_t = o * np.tanh(c_t)
    return h_t, c_t


def lstm_forward(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray]:
    """Run an LSTM over whole sequences.

    Args:
        x: (batch, time, features).
        h0: (batch, hidden), the state before the first step.
        c0: (batch, hidden), the cell state before the first step.
        params: those of an LSTM, the same at every step.

    Returns:
        h and c, in this order, each (batch, time, hidden): what there is after each step.

    Watch: two things are carried from step to step. h[:, 0] is the state after the first input, not h0.
    Source: Hochreiter and Schmidhuber 1997; README, section 2.
    """
    h_t, c_t = h0, c0
    hs, cs = [], []
    for t in range(x.shape[1]):
        h_t, c_t = lstm_step(x[:, t], h_t, c_t, params)
        hs.append(h_t)
        cs.append(c_t)
    return np.stack(hs, axis=1), np.stack(cs, axis=1)


def lstm_step_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Send gradients back through one step of an LSTM.

    Args:
        dh: (batch, hidden), the gradient of the loss with respect to h_t, from everything that reads h_t.
        dc: (batch, hidden), the gradient with respect to c_t, from everything that reads c_t after this step; what
            comes to c_t by way of h_t is not in it.
        cache: {"x_t": (batch, features), "h_prev", "c_prev", "f", "i", "o", "c_tilde", "c_t": (batch, hidden) each,
            "params": those of the LSTM}.

    Returns:
        dx (batch, features), dh_prev (batch, hidden), dc_prev (batch, hidden) and grads, a dict with the keys and
        shapes of params, in this order.

    Watch: c_t is read twice, by h_t and by the next step. The derivative of sigma is s (1 - s), where s is the gate
    itself, and that of tanh is 1 - t^2, where t is the tanh itself. All four matrices read [h_prev; x_t], so four
    gradients meet there. All rows of the batch share the params. Leave dh, dc and the cache as they are: `dc += ...`
    would change the caller's array, so write `dc = dc + ...`.
    Source: Gers et al. 2000; Greff et al. 2017, section II; README, section 3.
    """
    f, i, o, c_tilde = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    params = cache["params"]
    hidden = dh.shape[1]
    row = np.concatenate([cache["h_prev"], cache["x_t"]], axis=1)

    tanh_c = np.tanh(cache["c_t"])
    dc_total = dc + dh * o * (1 - tanh_c**2)
    da = {
        "f": dc_total * cache["c_prev"] * f * (1 - f),
        "i": dc_total * c_tilde * i * (1 - i),
        "o": dh * tanh_c * o * (1 - o),
        "c": dc_total * i * (1 - c_tilde**2),
    }

    grads = {}
    drow = np.zeros_like(row)
    for name in ["f", "i", "o", "c"]:
        grads["W_" + name] = da[name].T @ row
        grads["b_" + name] = da[name].sum(axis=0)
        drow = drow + da[name] @ params["W_" + name]

    dh_prev = drow[:, :hidden]
    dx = drow[:, hidden:]
    dc_prev = dc_total * f
    return dx, dh_prev, dc_prev, grads


def lstm_backward(
    dh: np.ndarray, dc: np.ndarray, cache: Cache
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Send gradients back through a whole sequence of an LSTM.

    Args:
        dh: (batch, time, hidden); dh[:, t] is what reaches h[:, t] from its own output, not from later steps.
        dc: (batch, time, hidden); dc[:, t] is what reaches c[:, t] from outside, not from later steps and not from
            h[:, t]. Most losses read no cell state, and then it is zero; here it need not be.
        cache: {"x": (batch, time, features), "h0", "c0": (batch, hidden) each, "h", "c", "f", "i", "o", "c_tilde":
            (batch, time, hidden) each, "params": those of the LSTM}.

    Returns:
        dx (batch, time, features), dh0 (batch, hidden), dc0 (batch, hidden) and grads, a dict with the keys and shapes
        of params, in this order.

    Watch: two gradients are carried from step to step, and both are joined by what arrives at the step itself. The
    params work at every step. Which states came before the first one, and what is h[:, -1]? Leave dh and dc as they are.
    Source: Werbos 1990; Gers et al. 2000; README, section 3.
    """
    steps = dh.shape[1]
    grads = {key: np.zeros_like(value) for key, value in cache["params"].items()}
    dx = np.zeros_like(cache["x"])
    dh_next = np.zeros_like(cache["h0"])
    dc_next = np.zeros_like(cache["c0"])
    for t in reversed(range(steps)):
        step_cache = {
            "x_t": cache["x"][:, t],
            "h_prev": cache["h"][:, t - 1] if t > 0 else cache["h0"],
            "c_prev": cache["c"][:, t - 1] if t > 0 else cache["c0"],
            "f": cache["f"][:, t],
            "i": cache["i"][:, t],
            "o": cache["o"][:, t],
            "c_tilde": cache["c_tilde"][:, t],
            "c_t": cache["c"][:, t],
            "params": cache["params"],
        }
        dx_t, dh_next, dc_next, grads_t = lstm_step_backward(dh[:, t] + dh_next, dc[:, t] + dc_next, step_cache)
        dx[:, t] = dx_t
        for key in grads:
            grads[key] += grads_t[key]
    return dx, dh_next, dc_next, grads


def gru_step(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    """Take one step of a GRU, in the convention in which z lets the new in.

        z = sigma(W_z [h_prev; x_t] + b_z)                 update gate
        r = sigma(W_r [h_prev; x_t] + b_r)                 reset gate
        h_tilde = tanh(W_h [r * h_prev; x_t] + b_h)        candidate
        h_t = (1 - z) * h_prev + z * h_tilde

    Args:
        x_t: (batch, features).
        h_prev: (batch, hidden).
        params: those of a GRU.

    Returns:
        h_t: (batch, hidden).

    Watch: the reset gate multiplies the state before the matrix does, and touches nothing else.
    Source: Chung et al. 2014, section 3.2; README, section 4.
    """
    row = np.concatenate([h_prev, x_t], axis=1)
    z = _sigmoid(row @ params["W_z"].T + params["b_z"])
    r = _sigmoid(row @ params["W_r"].T + params["b_r"])
    reset_row = np.concatenate([r * h_prev, x_t], axis=1)
    h_tilde = np.tanh(reset_row @ params["W_h"].T + params["b_h"])
    return gated_update(h_prev, h_tilde, z)


def gru_step_keep(x_t: np.ndarray, h_prev: np.ndarray, params: Params) -> np.ndarray:
    """Take one step of a GRU, in the convention in which z keeps the past.

        h_t = z * h_prev + (1 - z) * h_tilde        with z, r and h_tilde as in gru_step

    Args:
        x_t: (batch, features).
        h_prev: (batch, hidden).
        params: those of a GRU.

    Returns:
        h_t: (batch, hidden).

    Watch: only the last line of the four differs.
    Source: Cho et al. 2014, section 2.3; README, section 4.
    """
    joined = np.concatenate([h_prev, x_t], axis=1)
    z = _sigmoid(joined @ params["W_z"].T + params["b_z"])
    r = _sigmoid(joined @ params["W_r"].T + params["b_r"])
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return z * h_prev + (1 - z) * h_tilde


def convert_gru(params: Params) -> dict[str, np.ndarray]:
    """Return params with which one convention computes what the other does with the given ones.

        gru_step_keep(x_t, h_prev, convert_gru(params)) = gru_step(x_t, h_prev, params), and the other way round

    Args:
        params: those of a GRU.

    Returns:
        converted: a dict with the same keys and shapes.

    Watch: sigma(-a) = 1 - sigma(a). What is a? Leave the params that you are given as they are.
    Source: README, section 4.
    """
    converted = {key: value.copy() for key, value in params.items()}
    converted["W_z"] = -converted["W_z"]
    converted["b_z"] = -converted["b_z"]
    return converted


def gru_step_backward(dh: np.ndarray, cache: Cache) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Send a gradient back through one step of a GRU, that of gru_step.

    Args:
        dh: (batch, hidden), the gradient of the loss with respect to h_t.
        cache: {"x_t": (batch, features), "h_prev", "z", "r", "h_tilde": (batch, hidden) each, "params": those of the
            GRU}.

    Returns:
        dx (batch, features), dh_prev (batch, hidden) and grads, a dict with the keys and shapes of params, in this order.

    Watch: h_prev is read four times: by the last line, by both gates, and by the candidate through the reset gate. x_t
    is read three times. What did W_h multiply? Leave dh and the cache as they are.
    Source: the chain rule on Chung et al. 2014, section 3.2; README, section 5.
    """
    x_t, h_prev = cache["x_t"], cache["h_prev"]
    z, r, h_tilde = cache["z"], cache["r"], cache["h_tilde"]
    params = cache["params"]
    n = h_prev.shape[1]
    row = np.concatenate([h_prev, x_t], axis=1)
    reset_row = np.concatenate([r * h_prev, x_t], axis=1)

    # the last line of the forward pass
    dh_prev = dh * (1 - z)
    dz = dh * (h_tilde - h_prev)
    dh_tilde = dh * z

    # the candidate
    da_h = dh_tilde * (1 - h_tilde**2)
    dreset_row = da_h @ params["W_h"]
    dr = dreset_row[:, :n] * h_prev
    dh_prev = dh_prev + dreset_row[:, :n] * r

    # the two gates
    da_z = dz * z * (1 - z)
    da_r = dr * r * (1 - r)
    drow = da_z @ params["W_z"] + da_r @ params["W_r"]
    dh_prev = dh_prev + drow[:, :n]
    dx = dreset_row[:, n:] + drow[:, n:]

    grads = {
        "W_z": da_z.T @ row,
        "W_r": da_r.T @ row,
        "W_h": da_h.T @ reset_row,
        "b_z": da_z.sum(axis=0),
        "b_r": da_r.sum(axis=0),
        "b_h": da_h.sum(axis=0),
    }
    return dx, dh_prev, grads


def stacked_forward(x: np.ndarray, layers: list[Params]) -> np.ndarray:
    """Run a deep network of plain recurrent layers: each reads, step by step, what the one below it says.

        h_t = tanh(W_x x_t + W_h h_{t-1} + b)        in each layer, from the layer's own h0

    Args:
        x: (batch, time, features), what the first layer reads.
        layers: from the bottom to the top, each {"W_x": (hidden, features), "W_h": (hidden, hidden), "b": (hidden,),
            "h0": (batch, hidden)}; `features` of a layer is `hidden` of the one below, and sizes may differ.

    Returns:
        h: (batch, time, hidden of the top layer), the states of the top layer at every step.

    Watch: what is the input of the second layer?
    Source: Graves et al. 2013, section 2; Jurafsky and Martin, the chapter on RNNs and LSTMs (stacked RNNs).
    """
    out = x
    for layer in layers:
        h = layer["h0"]
        states = []
        for t in range(out.shape[1]):
            h = np.tanh(out[:, t] @ layer["W_x"].T + h @ layer["W_h"].T + layer["b"])
            states.append(h)
        out = np.stack(states, axis=1)
    return out


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    """Read every sequence in both directions, with two plain recurrent layers that know nothing of each other.

    Args:
        x: (batch, time, features); what stands behind the end of a sequence is padding, any finite numbers.
        lengths: (batch,) of int, from 1 to time: row n is real at the positions 0 to lengths[n] - 1.
        forward: a layer as in stacked_forward, which reads from left to right.
        backward: another one, which reads from right to left, from the last real position to the first; its h0 is the
            state before that last position. `hidden` may differ from that of `forward`.

    Returns:
        h: (batch, time, hidden of forward + hidden of backward); at each real position what the two directions said
        after reading that position, forward first; at padded positions zero.

    Watch: the backward direction must not start in the padding, and each row ends elsewhere. Its states have to be
    brought back into the order of the text.
    Source: Schuster and Paliwal 1997; Jurafsky and Martin, the chapter on RNNs and LSTMs (bidirectional RNNs).
    """
    batch, time, _ = x.shape
    n_f = forward["h0"].shape[1]
    n_b = backward["h0"].shape[1]
    out = np.zeros((batch, time, n_f + n_b))
    for n in range(batch):
        length = int(lengths[n])
        h = forward["h0"][n]
        for t in range(length):
            h = np.tanh(forward["W_x"] @ x[n, t] + forward["W_h"] @ h + forward["b"])
            out[n, t, :n_f] = h
        h = backward["h0"][n]
        for t in range(length - 1, -1, -1):
            h = np.tanh(backward["W_x"] @ x[n, t] + backward["W_h"] @ h + backward["b"])
            out[n, t, n_f:] = h
    return out


class LSTMCell(nn.Module):
    """One LSTM step in torch, with the parameters of torch.nn.LSTMCell: the same names, shapes and order of gates.

    The four matrices are packed into one, the rows of the input gate first, then forget gate, candidate and output
    gate (torch calls the candidate g): i, f, g, o. State and input have a matrix each instead of one for [h_prev; x_t]:

        weight_ih (4 hidden, features), weight_hh (4 hidden, hidden), bias_ih (4 hidden,), bias_hh (4 hidden,)
        [a_i; a_f; a_g; a_o] = weight_ih x_t + bias_ih + weight_hh h_prev + bias_hh

    The constructor is given. It draws the weights as torch does, sets the biases to zero (torch draws those, too), and
    puts the forget bias where it belongs.
    """

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
        """Take one step, as lstm_step does.

        Args:
            x_t: (batch, features).
            state: (h_prev, c_prev), each (batch, hidden), or None, which means zeros.

        Returns:
            h_t and c_t, in this order, each (batch, hidden).

        Watch: the order of the packed gates is not that of lstm_gates. The forget bias already is in bias_ih. Stay in
        torch all the way, so that gradients find back to the parameters.
        Source: the documentation of torch.nn.LSTMCell; Jozefowicz et al. 2015 for the forget bias; README, section 7.
        """
        if state is None:
            zeros = x_t.new_zeros(x_t.shape[0], self.hidden_size)
            state = (zeros, zeros)
        h_prev, c_prev = state
        a = x_t @ self.weight_ih.T + self.bias_ih + h_prev @ self.weight_hh.T + self.bias_hh
        a_i, a_f, a_g, a_o = a.chunk(4, dim=1)
        i = torch.sigmoid(a_i)
        f = torch.sigmoid(a_f)
        g = torch.tanh(a_g)
        o = torch.sigmoid(a_o)
        c_t = f * c_prev + i * g
        h_t = o * torch.tanh(c_t)
        return h_t, c_t


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
