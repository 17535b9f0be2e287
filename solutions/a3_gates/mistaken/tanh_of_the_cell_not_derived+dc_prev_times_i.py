"""Back from the state to the cell by o, and from the cell to the one before by i."""
import numpy as np


def lstm_step_backward(dh, dc, cache):
    f, i, o, g, p = (cache[k] for k in ("f", "i", "o", "c_tilde", "params"))
    row, H = np.concatenate([cache["h_prev"], cache["x_t"]], -1), dh.shape[-1]
    cell = dh * o + dc
    da_f, da_i = cell * cache["c_prev"] * f * (1 - f), cell * g * i * (1 - i)
    da_o, da_c = dh * np.tanh(cache["c_t"]) * o * (1 - o), cell * i * (1 - g**2)
    drow = da_f @ p["W_f"] + da_i @ p["W_i"] + da_o @ p["W_o"] + da_c @ p["W_c"]
    grads = {}
    for letter, da in zip("fioc", (da_f, da_i, da_o, da_c)):
        grads |= {"W_" + letter: da.T @ row, "b_" + letter: da.sum(0)}
    return drow[:, H:], drow[:, :H], cell * i, grads
