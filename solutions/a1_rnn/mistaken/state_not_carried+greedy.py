"""Look at the last token, take the likeliest next one."""
import numpy as np


def generate(h0, first_id, n, params, uniforms):
    table = np.tanh(params["W_x"].T + params["W_h"] @ h0 + params["b"]) @ params["W_y"].T + params["b_y"]
    best = table.argmax(axis=1)
    text = []
    for _ in range(n):
        first_id = best[first_id]
        text.append(first_id)
    return np.array(text)
