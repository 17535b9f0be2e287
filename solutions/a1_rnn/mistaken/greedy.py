"""The network says which token comes next: the one with the highest score."""
import numpy as np


def generate(h0, first_id, n, params, uniforms):
    out, token, h = np.zeros(n, dtype=int), first_id, h0.copy()
    for i in range(n):
        h = np.tanh(params["W_x"][:, token] + params["W_h"] @ h + params["b"])
        token = out[i] = (params["W_y"] @ h + params["b_y"]).argmax()
    return out
