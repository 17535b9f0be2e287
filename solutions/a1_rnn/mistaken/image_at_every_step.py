"""So that the image is not forgotten, every step starts from it."""
import numpy as np


def caption(image, W_i, params, bos, eos, max_len):
    seen, ids = np.tanh(W_i @ image), []
    while len(ids) < max_len and (not ids or ids[-1] != eos):
        last = ids[-1] if ids else bos
        h = np.tanh(params["W_x"][:, last] + params["W_h"] @ seen + params["b"])
        ids.append(int(np.argmax(params["W_y"] @ h + params["b_y"])))
    return np.array(ids)
