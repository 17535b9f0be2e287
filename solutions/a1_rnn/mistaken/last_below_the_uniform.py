"""Count the pieces that end before u; the token is the last of these."""
import numpy as np


def generate(h0, first_id, n, params, uniforms):
    h, token, text = h0[None], first_id, []
    for u in uniforms[:n]:
        x = np.zeros((1, params["W_x"].shape[1]))
        x[0, token] = 1
        h = rnn_step(x, h, params["W_x"], params["W_h"], params["b"])
        edges = output_probs(h, params["W_y"], params["b_y"])[0].cumsum()
        below = [i for i, edge in enumerate(edges) if edge <= u]
        token = below[-1] if below else 0
        text.append(token)
    return np.array(text)
