"""A text of max_len tokens, whatever is in it."""
import numpy as np


def caption(image, W_i, params, bos, eos, max_len):
    h, token, out = np.tanh(W_i @ image), bos, np.zeros(max_len, dtype=int)
    for t in range(max_len):
        h = np.tanh(params["W_x"][:, token] + params["W_h"] @ h + params["b"])
        token = out[t] = int((params["W_y"] @ h + params["b_y"]).argmax())
    return out
