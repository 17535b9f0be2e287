"""Make a candidate, then let through of it what r says."""
import numpy as np


def gru_step(x_t, h_prev, params):
    row = np.concatenate((h_prev, x_t), 1)
    sums = {g: row @ params[f"W_{g}"].T + params[f"b_{g}"] for g in "zrh"}
    z, r = 1 / (1 + np.exp(-sums["z"])), 1 / (1 + np.exp(-sums["r"]))
    return (1 - z) * h_prev + z * (r * np.tanh(sums["h"]))
