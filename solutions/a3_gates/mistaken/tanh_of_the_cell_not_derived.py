"""h = o * tanh(c), so what reaches c is o times what reaches h."""
import numpy as np


def lstm_step_backward(dh, dc, cache):
    p, width = cache["params"], dh.shape[1]
    f, i, o, g = cache["f"], cache["i"], cache["o"], cache["c_tilde"]
    into_cell = dc + o * dh
    slopes = np.concatenate([f - f**2, i - i**2, o - o**2, 1 - g**2], axis=1)
    local = np.concatenate([into_cell * cache["c_prev"], into_cell * g, dh * np.tanh(cache["c_t"]), into_cell * i], 1)
    da = slopes * local
    tall = np.concatenate([p["W_f"], p["W_i"], p["W_o"], p["W_c"]])
    drow = da @ tall
    dW = np.split(da.T @ np.concatenate([cache["h_prev"], cache["x_t"]], 1), 4)
    db = np.split(da.sum(0), 4)
    grads = {}
    for gate, w, b in zip("fioc", dW, db):
        grads["W_" + gate], grads["b_" + gate] = w, b
    return drow[:, width:], drow[:, :width], f * into_cell, grads
