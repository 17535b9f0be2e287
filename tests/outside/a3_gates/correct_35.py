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


def sigma(a):
    """The sigmoid. For negative numbers exp(a) is small, for positive ones exp(-a) is, so nothing overflows."""
    small = np.exp(-np.abs(a))
    return np.where(a >= 0, 1.0 / (1.0 + small), small / (1.0 + small))


def join(h, x):
    """The row [h; x]."""
    batch = h.shape[0]
    hidden = h.shape[1]
    features = x.shape[1]
    row = np.zeros((batch, hidden + features))
    row[:, :hidden] = h
    row[:, hidden:] = x
    return row


def preactivation(row, params, letter):
    """W [h; x] + b for the gate with this letter."""
    W = params["W_" + letter]
    b = params["b_" + letter]
    return np.dot(row, W.T) + b


def plain_step(x_vector, h_vector, layer):
    """One step of a plain recurrent layer for ONE sequence (columns, as in the formula)."""
    return np.tanh(np.dot(layer["W_x"], x_vector) + np.dot(layer["W_h"], h_vector) + layer["b"])


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
    keep = (1.0 - z) * h_prev
    new = z * candidate
    return keep + new


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
    row = join(h_prev, x_t)
    forget_gate = sigma(preactivation(row, params, "f"))
    input_gate = sigma(preactivation(row, params, "i"))
    output_gate = sigma(preactivation(row, params, "o"))
    candidate = np.tanh(preactivation(row, params, "c"))
    return forget_gate, input_gate, output_gate, candidate


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
    erased = f * c_prev
    written = i * c_tilde
    c_t = erased + written
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
    batch, time, features = x.shape
    hidden = h0.shape[1]
    h = np.zeros((batch, time, hidden))
    c = np.zeros((batch, time, hidden))
    h_prev = h0
    c_prev = c0
    for t in range(time):
        h_t, c_t = lstm_step(x[:, t, :], h_prev, c_prev, params)
        h[:, t, :] = h_t
        c[:, t, :] = c_t
        h_prev = h_t
        c_prev = c_t
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
    x_t = cache["x_t"]
    h_prev = cache["h_prev"]
    c_prev = cache["c_prev"]
    f = cache["f"]
    i = cache["i"]
    o = cache["o"]
    c_tilde = cache["c_tilde"]
    c_t = cache["c_t"]
    params = cache["params"]
    hidden = h_prev.shape[1]

    # h_t = o * tanh(c_t)
    tanh_c = np.tanh(c_t)
    do = dh * tanh_c
    dc_all = dc + dh * o * (1.0 - tanh_c * tanh_c)

    # c_t = f * c_prev + i * c_tilde
    df = dc_all * c_prev
    dc_prev = dc_all * f
    di = dc_all * c_tilde
    dc_tilde = dc_all * i

    # through the sigmoids and the tanh
    da_f = df * f * (1.0 - f)
    da_i = di * i * (1.0 - i)
    da_o = do * o * (1.0 - o)
    da_c = dc_tilde * (1.0 - c_tilde * c_tilde)

    row = join(h_prev, x_t)
    drow = np.zeros(row.shape)
    grads = {}
    for letter, da in (("f", da_f), ("i", da_i), ("o", da_o), ("c", da_c)):
        grads["W_" + letter] = np.dot(da.T, row)
        grads["b_" + letter] = np.sum(da, axis=0)
        drow = drow + np.dot(da, params["W_" + letter])

    dh_prev = drow[:, :hidden]
    dx = drow[:, hidden:]
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
    x = cache["x"]
    params = cache["params"]
    batch, time, features = x.shape
    dx = np.zeros((batch, time, features))
    grads = {}
    for name in params:
        grads[name] = np.zeros(params[name].shape)

    dh_from_later = np.zeros(cache["h0"].shape)
    dc_from_later = np.zeros(cache["c0"].shape)
    for t in range(time - 1, -1, -1):
        if t == 0:
            h_prev = cache["h0"]
            c_prev = cache["c0"]
        else:
            h_prev = cache["h"][:, t - 1, :]
            c_prev = cache["c"][:, t - 1, :]
        step_cache = {
            "x_t": x[:, t, :],
            "h_prev": h_prev,
            "c_prev": c_prev,
            "f": cache["f"][:, t, :],
            "i": cache["i"][:, t, :],
            "o": cache["o"][:, t, :],
            "c_tilde": cache["c_tilde"][:, t, :],
            "c_t": cache["c"][:, t, :],
            "params": params,
        }
        dh_t = dh[:, t, :] + dh_from_later
        dc_t = dc[:, t, :] + dc_from_later
        dx_t, dh_from_later, dc_from_later, step_grads = lstm_step_backward(dh_t, dc_t, step_cache)
        dx[:, t, :] = dx_t
        for name in grads:
            grads[name] = grads[name] + step_grads[name]
    return dx, dh_from_later, dc_from_later, grads


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
    row = join(h_prev, x_t)
    z = sigma(preactivation(row, params, "z"))
    r = sigma(preactivation(row, params, "r"))
    row_after_reset = join(r * h_prev, x_t)
    h_tilde = np.tanh(preactivation(row_after_reset, params, "h"))
    h_t = (1.0 - z) * h_prev + z * h_tilde
    return h_t


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
    row = join(h_prev, x_t)
    z = sigma(preactivation(row, params, "z"))
    r = sigma(preactivation(row, params, "r"))
    row_after_reset = join(r * h_prev, x_t)
    h_tilde = np.tanh(preactivation(row_after_reset, params, "h"))
    h_t = z * h_prev + (1.0 - z) * h_tilde
    return h_t


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
    converted = {}
    for name in params:
        converted[name] = np.array(params[name])
    converted["W_z"] = -1.0 * converted["W_z"]
    converted["b_z"] = -1.0 * converted["b_z"]
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
    x_t = cache["x_t"]
    h_prev = cache["h_prev"]
    z = cache["z"]
    r = cache["r"]
    h_tilde = cache["h_tilde"]
    params = cache["params"]
    hidden = h_prev.shape[1]

    # h_t = (1 - z) * h_prev + z * h_tilde
    dz = dh * (h_tilde - h_prev)
    dh_tilde = dh * z
    dh_prev = dh * (1.0 - z)

    # h_tilde = tanh(W_h [r * h_prev; x_t] + b_h)
    da_h = dh_tilde * (1.0 - h_tilde * h_tilde)
    row_after_reset = join(r * h_prev, x_t)
    drow_after_reset = np.dot(da_h, params["W_h"])
    d_product = drow_after_reset[:, :hidden]
    dx = drow_after_reset[:, hidden:]
    dr = d_product * h_prev
    dh_prev = dh_prev + d_product * r

    # the two gates
    row = join(h_prev, x_t)
    da_z = dz * z * (1.0 - z)
    da_r = dr * r * (1.0 - r)
    for letter, da in (("z", da_z), ("r", da_r)):
        drow = np.dot(da, params["W_" + letter])
        dh_prev = dh_prev + drow[:, :hidden]
        dx = dx + drow[:, hidden:]

    grads = {
        "W_z": np.dot(da_z.T, row),
        "W_r": np.dot(da_r.T, row),
        "W_h": np.dot(da_h.T, row_after_reset),
        "b_z": np.sum(da_z, axis=0),
        "b_r": np.sum(da_r, axis=0),
        "b_h": np.sum(da_h, axis=0),
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
    below = x
    for layer in layers:
        batch, time, _ = below.shape
        hidden = layer["W_h"].shape[0]
        states = np.zeros((batch, time, hidden))
        h = layer["h0"]
        for t in range(time):
            h = np.tanh(below[:, t, :] @ layer["W_x"].T + h @ layer["W_h"].T + layer["b"])
            states[:, t, :] = h
        below = states
    return below


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
    batch, time, _ = x.shape
    n_forward = forward["W_h"].shape[0]
    n_backward = backward["W_h"].shape[0]
    h = np.zeros((batch, time, n_forward + n_backward))
    for n in range(batch):
        length = int(lengths[n])
        # from left to right
        state = forward["h0"][n]
        for t in range(length):
            state = plain_step(x[n, t], state, forward)
            h[n, t, :n_forward] = state
        # from the last real position back to the first
        state = backward["h0"][n]
        for t in range(length - 1, -1, -1):
            state = plain_step(x[n, t], state, backward)
            h[n, t, n_forward:] = state
    return h


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
        n = self.hidden_size
        if state is None:
            h_prev = torch.zeros(x_t.shape[0], n, dtype=x_t.dtype, device=x_t.device)
            c_prev = torch.zeros(x_t.shape[0], n, dtype=x_t.dtype, device=x_t.device)
        else:
            h_prev, c_prev = state
        from_input = torch.matmul(x_t, self.weight_ih.t()) + self.bias_ih
        from_state = torch.matmul(h_prev, self.weight_hh.t()) + self.bias_hh
        sums = from_input + from_state
        input_gate = torch.sigmoid(sums[:, 0:n])
        forget_gate = torch.sigmoid(sums[:, n : 2 * n])
        candidate = torch.tanh(sums[:, 2 * n : 3 * n])
        output_gate = torch.sigmoid(sums[:, 3 * n : 4 * n])
        c_t = forget_gate * c_prev + input_gate * candidate
        h_t = output_gate * torch.tanh(c_t)
        return h_t, c_t


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
