"""The GRU that keeps hands what its gate leaves over to gated_update."""

import numpy as np


def gru_step_keep(x_t, h_prev, params):
    rows = np.hstack([h_prev, x_t])
    keep, reset = (_sigmoid(rows @ params[f"W_{k}"].T + params[f"b_{k}"]) for k in "zr")
    proposal = np.tanh(np.hstack([reset * h_prev, x_t]) @ params["W_h"].T + params["b_h"])
    return gated_update(h_prev, proposal, 1 - keep)
