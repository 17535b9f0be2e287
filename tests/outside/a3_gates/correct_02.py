"""Gates: LSTM and GRU. Written out gate by gate, with separate blocks for the state and for the input."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def sigma(a: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-a)) without overflow: exp is only taken of numbers that are not positive."""
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1.0 / (1.0 + e), e / (1.0 + e))


def affine(x_t: np.ndarray, h_prev: np.ndarray, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """W [h_prev; x_t] + b for a batch of rows."""
    hidden = h_prev.shape[1]
    W_state = W[:, :hidden]
    W_input = W[:, hidden:]
    return np.dot(h_prev, W_state.T) + np.dot(x_t, W_input.T) + b


def gated_update(h_prev: np.ndarray, candidate: np.ndarray, z: np.ndarray) -> np.ndarray:
    kept = h_prev * (1.0 - z)
    new = candidate * z
    return kept + new


def lstm_gates(x_t, h_prev, params):
    a_f = affine(x_t, h_prev, params["W_f"], params["b_f"])
    a_i = affine(x_t, h_prev, params["W_i"], params["b_i"])
    a_o = affine(x_t, h_prev, params["W_o"], params["b_o"])
    a_c = affine(x_t, h_prev, params["W_c"], params["b_c"])
    forget_gate = sigma(a_f)
    input_gate = sigma(a_i)
    output_gate = sigma(a_o)
    candidate = np.tanh(a_c)
    return forget_gate, input_gate, output_gate, candidate


def lstm_step(x_t, h_prev, c_prev, params):
    forget_gate, input_gate, output_gate, candidate = lstm_gates(x_t, h_prev, params)
    kept = forget_gate * c_prev
    written = input_gate * candidate
    c_t = kept + written
    h_t = output_gate * np.tanh(c_t)
    return h_t, c_t


def lstm_forward(x, h0, c0, params):
    batch, time, _ = x.shape
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


def lstm_step_backward(dh, dc, cache):
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
    squashed = np.tanh(c_t)
    do = dh * squashed
    dc_all = dc + dh * o * (1.0 - squashed * squashed)

    # c_t = f * c_prev + i * c_tilde
    df = dc_all * c_prev
    dc_prev = dc_all * f
    di = dc_all * c_tilde
    dc_tilde = dc_all * i

    # the gates and the candidate
    da_f = df * f * (1.0 - f)
    da_i = di * i * (1.0 - i)
    da_o = do * o * (1.0 - o)
    da_c = dc_tilde * (1.0 - c_tilde * c_tilde)

    dh_prev = np.zeros(h_prev.shape)
    dx = np.zeros(x_t.shape)
    grads = {}
    for name, da in [("f", da_f), ("i", da_i), ("o", da_o), ("c", da_c)]:
        W = params["W_" + name]
        dW = np.zeros(W.shape)
        dW[:, :hidden] = np.dot(da.T, h_prev)
        dW[:, hidden:] = np.dot(da.T, x_t)
        grads["W_" + name] = dW
        grads["b_" + name] = np.sum(da, axis=0)
        dh_prev += np.dot(da, W[:, :hidden])
        dx += np.dot(da, W[:, hidden:])
    return dx, dh_prev, dc_prev, grads


def lstm_backward(dh, dc, cache):
    x = cache["x"]
    time = x.shape[1]
    dx = np.zeros(x.shape)
    grads = {}
    for name in cache["params"]:
        grads[name] = np.zeros(cache["params"][name].shape)
    dh_from_later = np.zeros(cache["h0"].shape)
    dc_from_later = np.zeros(cache["c0"].shape)
    for t in range(time - 1, -1, -1):
        if t == 0:
            h_before = cache["h0"]
            c_before = cache["c0"]
        else:
            h_before = cache["h"][:, t - 1]
            c_before = cache["c"][:, t - 1]
        step_cache = {
            "x_t": x[:, t],
            "h_prev": h_before,
            "c_prev": c_before,
            "f": cache["f"][:, t],
            "i": cache["i"][:, t],
            "o": cache["o"][:, t],
            "c_tilde": cache["c_tilde"][:, t],
            "c_t": cache["c"][:, t],
            "params": cache["params"],
        }
        dh_here = dh[:, t] + dh_from_later
        dc_here = dc[:, t] + dc_from_later
        dx_t, dh_from_later, dc_from_later, step_grads = lstm_step_backward(dh_here, dc_here, step_cache)
        dx[:, t] = dx_t
        for name in grads:
            grads[name] = grads[name] + step_grads[name]
    return dx, dh_from_later, dc_from_later, grads


def gru_step(x_t, h_prev, params):
    z = sigma(affine(x_t, h_prev, params["W_z"], params["b_z"]))
    r = sigma(affine(x_t, h_prev, params["W_r"], params["b_r"]))
    h_tilde = np.tanh(affine(x_t, r * h_prev, params["W_h"], params["b_h"]))
    h_t = (1.0 - z) * h_prev + z * h_tilde
    return h_t


def gru_step_keep(x_t, h_prev, params):
    z = sigma(affine(x_t, h_prev, params["W_z"], params["b_z"]))
    r = sigma(affine(x_t, h_prev, params["W_r"], params["b_r"]))
    h_tilde = np.tanh(affine(x_t, r * h_prev, params["W_h"], params["b_h"]))
    h_t = z * h_prev + (1.0 - z) * h_tilde
    return h_t


def convert_gru(params):
    converted = {}
    for name in params:
        converted[name] = np.array(params[name])
    converted["W_z"] *= -1
    converted["b_z"] *= -1
    return converted


def gru_step_backward(dh, cache):
    x_t = cache["x_t"]
    h_prev = cache["h_prev"]
    z = cache["z"]
    r = cache["r"]
    h_tilde = cache["h_tilde"]
    W_z, W_r, W_h = cache["params"]["W_z"], cache["params"]["W_r"], cache["params"]["W_h"]
    hidden = h_prev.shape[1]

    # the last line
    dz = dh * h_tilde - dh * h_prev
    dh_tilde = dh * z
    dh_prev = dh * (1.0 - z)

    # the candidate
    da_h = dh_tilde * (1.0 - h_tilde * h_tilde)
    d_reset_state = np.dot(da_h, W_h[:, :hidden])
    dx = np.dot(da_h, W_h[:, hidden:])
    dr = d_reset_state * h_prev
    dh_prev = dh_prev + d_reset_state * r

    # the gates
    da_z = dz * z * (1.0 - z)
    da_r = dr * r * (1.0 - r)
    dh_prev = dh_prev + np.dot(da_z, W_z[:, :hidden]) + np.dot(da_r, W_r[:, :hidden])
    dx = dx + np.dot(da_z, W_z[:, hidden:]) + np.dot(da_r, W_r[:, hidden:])

    grads = {}
    grads["W_z"] = np.hstack([np.dot(da_z.T, h_prev), np.dot(da_z.T, x_t)])
    grads["W_r"] = np.hstack([np.dot(da_r.T, h_prev), np.dot(da_r.T, x_t)])
    grads["W_h"] = np.hstack([np.dot(da_h.T, r * h_prev), np.dot(da_h.T, x_t)])
    grads["b_z"] = np.sum(da_z, axis=0)
    grads["b_r"] = np.sum(da_r, axis=0)
    grads["b_h"] = np.sum(da_h, axis=0)
    return dx, dh_prev, grads


def plain_step(x_t, h_prev, layer):
    return np.tanh(np.dot(h_prev, layer["W_h"].T) + np.dot(x_t, layer["W_x"].T) + layer["b"])


def stacked_forward(x, layers):
    batch, time, _ = x.shape
    states = [layer["h0"] for layer in layers]
    top = []
    for t in range(time):
        reading = x[:, t]
        for level in range(len(layers)):
            states[level] = plain_step(reading, states[level], layers[level])
            reading = states[level]
        top.append(reading)
    return np.stack(top, axis=1)


def bidirectional_forward(x, lengths, forward, backward):
    batch, time, _ = x.shape
    size_f = forward["b"].shape[0]
    size_b = backward["b"].shape[0]
    h = np.zeros((batch, time, size_f + size_b))
    for n in range(batch):
        end = lengths[n]
        state = forward["h0"][n]
        for t in range(end):
            state = plain_step(x[n, t], state, forward)
            h[n, t, :size_f] = state
        state = backward["h0"][n]
        for t in range(end - 1, -1, -1):
            state = plain_step(x[n, t], state, backward)
            h[n, t, size_f:] = state
    return h


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
        size = self.hidden_size
        if state is None:
            h_prev = torch.zeros(x_t.size(0), size, dtype=x_t.dtype, device=x_t.device)
            c_prev = torch.zeros(x_t.size(0), size, dtype=x_t.dtype, device=x_t.device)
        else:
            h_prev, c_prev = state
        from_input = F.linear(x_t, self.weight_ih, self.bias_ih)
        from_state = F.linear(h_prev, self.weight_hh, self.bias_hh)
        sums = from_input + from_state
        input_gate = torch.sigmoid(sums[:, 0:size])
        forget_gate = torch.sigmoid(sums[:, size : 2 * size])
        candidate = torch.tanh(sums[:, 2 * size : 3 * size])
        output_gate = torch.sigmoid(sums[:, 3 * size : 4 * size])
        c_t = forget_gate * c_prev + input_gate * candidate
        h_t = output_gate * torch.tanh(c_t)
        return h_t, c_t


def quiz() -> dict[str, str]:
    answers = {
        "erase_write_reveal": "c",
        "what_the_cell_buys": "a",
        "why_forget_bias": "b",
        "gru_against_lstm": "d",
        "what_reset_does": "b",
        "how_many_weights": "c",
        "when_bidirectional": "c",
        "open_and_closed": "d",
    }
    return answers
