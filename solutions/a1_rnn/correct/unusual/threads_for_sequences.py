"""Every sequence is read in a thread of its own, and every warning is an error."""

import warnings
from concurrent.futures import ThreadPoolExecutor

warnings.simplefilter("error")


def rnn_forward(x, h0, W_x, W_h, b):
    def read(row, h):
        states = []
        for x_t in row:
            h = np.tanh(W_x @ x_t + W_h @ h + b)
            states.append(h)
        return states

    with ThreadPoolExecutor(2) as pool:
        return np.array(list(pool.map(read, x, h0)))
