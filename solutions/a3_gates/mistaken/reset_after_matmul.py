"""The matrix of the candidate has two parts; r stands before the one for the past."""
import numpy as np


def gru_step(x_t, h_prev, params):
    width = h_prev.shape[-1]
    row = np.hstack((h_prev, x_t))
    z = 0.5 + 0.5 * np.tanh((row @ params["W_z"].T + params["b_z"]) / 2)
    r = 0.5 + 0.5 * np.tanh((row @ params["W_r"].T + params["b_r"]) / 2)
    past, present = np.split(params["W_h"], [width], axis=1)
    new = np.tanh(r * np.dot(h_prev, past.T) + np.dot(x_t, present.T) + params["b_h"])
    return h_prev - z * h_prev + z * new
