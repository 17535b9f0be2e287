"""The GRU that keeps takes gated_update with its states exchanged; an LSTM's step is a sequence of one."""

import numpy as np


def lstm_step(x_t, h_prev, c_prev, params):
    h, c = lstm_forward(x_t[:, None], h_prev, c_prev, params)
    return h[:, 0], c[:, 0]


def lstm_forward(x, h0, c0, params):
    h, c, hs, cs = h0, c0, [], []
    for t in range(x.shape[1]):
        f, i, o, c_tilde = lstm_gates(x[:, t], h, params)
        c = f * c + i * c_tilde
        h = o * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return np.stack(hs, axis=1), np.stack(cs, axis=1)


def _keep_and_proposal(x_t, h_prev, params):
    rows = np.concatenate([h_prev, x_t], axis=1)
    z, r = (_sigmoid(rows @ params[f"W_{k}"].T + params[f"b_{k}"]) for k in "zr")
    rows = np.concatenate([r * h_prev, x_t], axis=1)
    return z, np.tanh(rows @ params["W_h"].T + params["b_h"])


def gru_step_keep(x_t, h_prev, params):
    keep, proposal = _keep_and_proposal(x_t, h_prev, params)
    return gated_update(proposal, h_prev, keep)
