"""A function that writes the next token, called n times."""
import numpy as np


def generate(h0, first_id, n, params, uniforms):
    def following(token, u):
        h = np.tanh(params["W_x"][:, token] + params["W_h"] @ h0 + params["b"])
        acc = 0.0
        for i, p in enumerate(softmax(params["W_y"] @ h + params["b_y"])):
            acc += p
            if acc > u:
                return i
        return i

    text = [first_id]
    for k in range(n):
        text.append(following(text[-1], uniforms[k]))
    return np.array(text[1:])
