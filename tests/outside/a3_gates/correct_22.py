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


GATES = ("f", "i", "o", "c")


def _sigma(a):
    """The sigmoid; exp only ever sees numbers up to 0."""
    out = np.empty(np.shape(a), dtype=np.result_type(a, np.float32))
    positive = a >= 0
    out[positive] = 1.0 / (1.0 + np.exp(-a[positive]))
    e = np.exp(a[~positive])
    out[~positive] = e / (1.0 + e)
    return out


def _pack(params):
    """All four matrices below each other, in the order f, i, o, c."""
    W = np.concatenate([params["W_" + g] for g in GATES], axis=0)
    b = np.concatenate([params["b_" + g] for g in GATES])
    return W, b


def _unpack_grads(dW, db):
    grads = {}
    for g, dW_g, db_g in zip(GATES, np.split(dW, 4, axis=0), np.split(db, 4)):
        grads["W_" + g] = dW_g
        grads["b_" + g] = db_g
    return grads


def _gru_parts(x_t, h_prev, params):
    n = h_prev.shape[1]

    def affine(name, h):
        W = params["W_" + name]
        return h @ W[:, :n].T + x_t @ W[:, n:].T + params["b_" + name]

    z = _sigma(affine("z", h_prev))
    r = _sigma(affine("r", h_prev))
    h_tilde = np.tanh(affine("h", r * h_prev))
    return z, r, h_tilde


def _plain_layer(x, layer):
    """All states of one plain layer."""
    from_input = x @ layer["W_x"].T + layer["b"]  # does not depend on the states, so all steps at once
    h = np.empty(from_input.shape)
    state = layer["h0"]
    for t in range(x.shape[1]):
        state = np.tanh(from_input[:, t] + state @ layer["W_h"].T)
        h[:, t] = state
    return h


def _plain_direction(x, real, layer, order):
    """One plain layer that visits the steps in the given order and waits where a position is not real."""
    batch, time, _ = x.shape
    h = np.zeros((batch, time, layer["b"].size))
    state = layer["h0"]
    for t in order:
        here = real[:, t, None]
        new = np.tanh(x[:, t] @ layer["W_x"].T + state @ layer["W_h"].T + layer["b"])
        state = np.where(here, new, state)
        h[:, t] = np.where(here, state, 0.0)
    return h



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
    return h_prev * (1.0 - z) + candidate * z


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
    W, b = _pack(params)
    a_f, a_i, a_o, a_c = np.split(np.hstack([h_prev, x_t]) @ W.T + b, 4, axis=1)
    # sigma(a) = (1 + tanh(a / 2)) / 2, which cannot overflow
    f = 0.5 * (1 + np.tanh(0.5 * a_f))
    i = 0.5 * (1 + np.tanh(0.5 * a_i))
    o = 0.5 * (1 + np.tanh(0.5 * a_o))
    return f, i, o, np.tanh(a_c)


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
    c_t = c_prev * f + c_tilde * i
    return o * np.tanh(c_t), c_t


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
    batch, time, _ = x.shape
    h = np.empty((batch, time, h0.shape[1]))
    c = np.empty((batch, time, h0.shape[1]))
    h_now, c_now = h0, c0
    for t in range(time):
        h_now, c_now = lstm_step(x[:, t], h_now, c_now, params)
        h[:, t] = h_now
        c[:, t] = c_now
    return h, c


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
    W, _ = _pack(cache["params"])
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    shown = np.tanh(cache["c_t"])
    dc_all = dc + dh * o * (1.0 - shown * shown)
    # the gradients of the four sums, in the order of the packed matrix
    da = np.hstack(
        [
            dc_all * cache["c_prev"] * f * (1.0 - f),
            dc_all * g * i * (1.0 - i),
            dh * shown * o * (1.0 - o),
            dc_all * i * (1.0 - g * g),
        ]
    )
    row = np.hstack([cache["h_prev"], cache["x_t"]])
    drow = da @ W
    n = dh.shape[1]
    return drow[:, n:], drow[:, :n], dc_all * f, _unpack_grads(da.T @ row, da.sum(axis=0))


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
    x = cache["x"]
    batch, time, _ = x.shape
    n = cache["h0"].shape[1]
    W, b = _pack(cache["params"])

    # with the first states in front, entry t is the state before step t
    h_all = np.concatenate([cache["h0"][:, None], cache["h"]], axis=1)
    c_all = np.concatenate([cache["c0"][:, None], cache["c"]], axis=1)

    dx = np.empty(x.shape)
    dW, db = np.zeros(W.shape), np.zeros(b.shape)
    dh_back = np.zeros((batch, n))
    dc_back = np.zeros((batch, n))
    for t in range(time - 1, -1, -1):
        f, i, o, g = (cache[name][:, t] for name in ("f", "i", "o", "c_tilde"))
        shown = np.tanh(c_all[:, t + 1])
        dh_t = dh[:, t] + dh_back
        dc_t = dc[:, t] + dc_back + dh_t * o * (1.0 - shown**2)
        da_f = dc_t * c_all[:, t] * f * (1.0 - f)
        da_i = dc_t * g * i * (1.0 - i)
        da_o = dh_t * shown * o * (1.0 - o)
        da_c = dc_t * i * (1.0 - g**2)
        da = np.hstack([da_f, da_i, da_o, da_c])
        dW += da.T @ np.hstack([h_all[:, t], x[:, t]])
        db += da.sum(axis=0)
        drow = da @ W
        dh_back, dx[:, t] = drow[:, :n], drow[:, n:]
        dc_back = dc_t * f
    return dx, dh_back, dc_back, _unpack_grads(dW, db)


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
    z, _, h_tilde = _gru_parts(x_t, h_prev, params)
    return (1.0 - z) * h_prev + z * h_tilde


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
    z, _, h_tilde = _gru_parts(x_t, h_prev, params)
    return z * h_prev + (1.0 - z) * h_tilde


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
    return {name: -value if name in ("W_z", "b_z") else np.array(value) for name, value in params.items()}


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
    p = cache["params"]
    x_t, h_prev, z, r, h_tilde = (cache[name] for name in ("x_t", "h_prev", "z", "r", "h_tilde"))
    n = h_prev.shape[1]

    da_h = dh * z * (1.0 - h_tilde**2)
    through_reset = da_h @ p["W_h"][:, :n]  # the gradient of r * h_prev
    da_z = dh * (h_tilde - h_prev) * z * (1.0 - z)
    da_r = through_reset * h_prev * r * (1.0 - r)

    dh_prev = dh * (1.0 - z) + through_reset * r + da_z @ p["W_z"][:, :n] + da_r @ p["W_r"][:, :n]
    dx = da_h @ p["W_h"][:, n:] + da_z @ p["W_z"][:, n:] + da_r @ p["W_r"][:, n:]

    grads = {}
    for name, da, state in (("z", da_z, h_prev), ("r", da_r, h_prev), ("h", da_h, r * h_prev)):
        grads["W_" + name] = np.einsum("bo,bi->oi", da, np.hstack([state, x_t]))
        grads["b_" + name] = da.sum(axis=0)
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
    h = x
    for layer in layers:
        h = _plain_layer(h, layer)
    return h


def bidirectional_forward(x: np.ndarray, lengths: np.ndarray, forward: Params, backward: Params) -> np.ndarray:
    """Read every sequence in both directions, with two plain recurrent layers that know nothing of each other.

    Args:
        x: (batch, time, features); what stands behind the end of a sequence is padding, and may be anything.
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
    time = x.shape[1]
    real = np.arange(time)[None, :] < np.asarray(lengths)[:, None]
    x = np.where(real[:, :, None], x, 0.0)
    to_the_right = _plain_direction(x, real, forward, range(time))
    to_the_left = _plain_direction(x, real, backward, reversed(range(time)))
    return np.concatenate([to_the_right, to_the_left], axis=2)


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
            zeros = torch.zeros(x_t.shape[0], self.hidden_size, dtype=x_t.dtype, device=x_t.device)
            state = (zeros, zeros)
        h_prev, c_prev = state
        n = self.hidden_size
        sums = nn.functional.linear(x_t, self.weight_ih, self.bias_ih)
        sums = sums + nn.functional.linear(h_prev, self.weight_hh, self.bias_hh)
        write = sums[:, :n].sigmoid()
        keep = sums[:, n : 2 * n].sigmoid()
        candidate = sums[:, 2 * n : 3 * n].tanh()
        reveal = sums[:, 3 * n :].sigmoid()
        c_t = keep * c_prev + write * candidate
        return reveal * c_t.tanh(), c_t


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "c", "run_5": "b"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
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
