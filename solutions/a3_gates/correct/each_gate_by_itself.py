"""Each gate has lines of its own, as it stands in a derivation by hand, and nothing goes over gates in a loop."""

import numpy as np


def lstm_step_backward(dh, dc, cache):
    params, h_prev, c_prev = cache["params"], cache["h_prev"], cache["c_prev"]
    f, i, o, c_tilde = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    t = np.tanh(cache["c_t"])
    dc_t = dc + dh * o * (1 - t**2)
    da_f = dc_t * c_prev * f * (1 - f)
    da_i = dc_t * c_tilde * i * (1 - i)
    da_o = dh * t * o * (1 - o)
    da_c = dc_t * i * (1 - c_tilde**2)
    row = np.concatenate([h_prev, cache["x_t"]], axis=1)
    grads = {
        "W_f": da_f.T @ row,
        "b_f": da_f.sum(axis=0),
        "W_i": da_i.T @ row,
        "b_i": da_i.sum(axis=0),
        "W_o": da_o.T @ row,
        "b_o": da_o.sum(axis=0),
        "W_c": da_c.T @ row,
        "b_c": da_c.sum(axis=0),
    }
    drow = da_f @ params["W_f"] + da_i @ params["W_i"] + da_o @ params["W_o"] + da_c @ params["W_c"]
    hidden = h_prev.shape[1]
    return drow[:, hidden:], drow[:, :hidden], dc_t * f, grads


def gru_step_keep(x_t, h_prev, params):
    row = np.concatenate([h_prev, x_t], axis=1)
    z = 1 / (1 + np.exp(-(row @ params["W_z"].T + params["b_z"])))
    r = 1 / (1 + np.exp(-(row @ params["W_r"].T + params["b_r"])))
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return z * h_prev + (1 - z) * h_tilde
