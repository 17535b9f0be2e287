"""The text starts with its first token."""
import numpy as np


def generate(h0, first_id, n, params, uniforms):
    text, h = [first_id], h0
    while len(text) <= n:
        h = np.tanh(params["W_x"][:, text[-1]] + params["W_h"] @ h + params["b"])
        z = params["W_y"] @ h + params["b_y"]
        p = np.exp(z - z.max())
        p /= p.sum()
        u, token = uniforms[len(text) - 1], 0
        while u >= p[token] and token < len(p) - 1:
            u -= p[token]
            token += 1
        text.append(token)
    return np.array(text)
