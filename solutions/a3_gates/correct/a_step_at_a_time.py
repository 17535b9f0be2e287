"""Each step has a variable, as in code that is written and looked at line by line."""

import numpy as np
import torch


def lstm_gates(x_t, h_prev, params):
    both = np.concatenate([h_prev, x_t], axis=-1)
    a_f = both @ params["W_f"].T + params["b_f"]
    a_i = both @ params["W_i"].T + params["b_i"]
    a_o = both @ params["W_o"].T + params["b_o"]
    a_c = both @ params["W_c"].T + params["b_c"]
    f, i, o = _sigmoid(a_f), _sigmoid(a_i), _sigmoid(a_o)
    c_tilde = np.tanh(a_c)
    return f, i, o, c_tilde


def lstm_step(x_t, h_prev, c_prev, params):
    f, i, o, c_tilde = lstm_gates(x_t, h_prev, params)
    kept = f * c_prev
    new = i * c_tilde
    c = kept + new
    squashed = np.tanh(c)
    h = o * squashed
    return h, c


def gru_step(x_t, h_prev, params):
    both = np.concatenate([h_prev, x_t], axis=-1)
    a_z, a_r = both @ params["W_z"].T + params["b_z"], both @ params["W_r"].T + params["b_r"]
    z, r = _sigmoid(a_z), _sigmoid(a_r)
    reset = r * h_prev
    a_h = np.concatenate([reset, x_t], axis=-1) @ params["W_h"].T + params["b_h"]
    h_tilde = np.tanh(a_h)
    kept, taken = (1 - z) * h_prev, z * h_tilde
    return kept + taken


def gru_step_keep(x_t, h_prev, params):
    both = np.concatenate([h_prev, x_t], axis=-1)
    a_z, a_r = both @ params["W_z"].T + params["b_z"], both @ params["W_r"].T + params["b_r"]
    z, r = _sigmoid(a_z), _sigmoid(a_r)
    reset = r * h_prev
    a_h = np.concatenate([reset, x_t], axis=-1) @ params["W_h"].T + params["b_h"]
    h_tilde = np.tanh(a_h)
    kept, taken = z * h_prev, (1 - z) * h_tilde
    return kept + taken


def bidirectional_forward(x, lengths, forward, backward):
    to_the_right = _rnn(x, forward)
    to_the_left = np.zeros((*x.shape[:2], len(backward["b"])))
    for row, length in enumerate(lengths):
        turned = x[row : row + 1, :length][:, ::-1]
        of_row = {**backward, "h0": backward["h0"][row : row + 1] if backward["h0"].ndim > 1 else backward["h0"]}
        to_the_left[row, :length] = _rnn(turned, of_row)[0, ::-1]
    both = np.concatenate([to_the_right, to_the_left], axis=-1)
    real = np.arange(x.shape[1]) < lengths[:, None]
    return both * real[..., None]


class LSTMCell(LSTMCell):
    def forward(self, x_t, state=None):
        h, c = state if state is not None else 2 * (x_t.new_zeros(len(x_t), self.hidden_size),)
        from_input = x_t @ self.weight_ih.T + self.bias_ih
        from_past = h @ self.weight_hh.T + self.bias_hh
        gates = from_input + from_past
        i, f, g, o = gates.chunk(4, dim=1)
        i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
        kept, new = f * c, i * g
        c = kept + new
        squashed = torch.tanh(c)
        return o * squashed, c
