"""The same as before, only written down once more."""
import numpy as np


def gru_step_keep(x_t, h_prev, params):
    out = []
    for x, h in zip(x_t, h_prev):
        both = np.concatenate([h, x])
        z = 1 / (1 + np.exp(-(params["W_z"] @ both + params["b_z"])))
        r = 1 / (1 + np.exp(-(params["W_r"] @ both + params["b_r"])))
        new = np.tanh(params["W_h"] @ np.concatenate([r * h, x]) + params["b_h"])
        out.append(h + z * (new - h))
    return np.array(out)
