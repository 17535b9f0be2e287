"""One array for the state, which each step fills again."""
import numpy as np


def rnn_forward(x, h0, W_x, W_h, b):
    state, seen = h0.copy(), []
    for t in range(x.shape[1]):
        np.tanh(np.einsum("bi,hi->bh", x[:, t], W_x) + np.einsum("bk,hk->bh", state, W_h) + b, out=state)
        seen.append(state)
    return np.stack(seen, axis=1)
