"""Stack the states; the first axis then counts steps."""
from itertools import accumulate

import numpy as np


def rnn_forward(x, h0, W_x, W_h, b):
    per_step = x.transpose(1, 0, 2) @ W_x.T + b
    chain = accumulate(per_step, lambda h, pushed: np.tanh(pushed + h @ W_h.T), initial=h0)
    return np.stack(list(chain)[1:])
