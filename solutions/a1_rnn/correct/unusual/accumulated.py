"""The states are what itertools.accumulate makes of the inputs; the result is not contiguous."""

import itertools


def rnn_forward(x, h0, W_x, W_h, b):
    def further(h, x_t):
        return np.tanh(np.matmul(W_x, x_t[..., None])[..., 0] + np.matmul(W_h, h[..., None])[..., 0] + b)

    first, *states = itertools.accumulate(np.rollaxis(x, 1), further, initial=h0)
    return np.moveaxis(np.array(states), 0, 1)


def sequence_log_prob(logits, ids):
    if ids.ndim > 1:
        return np.array([sequence_log_prob(some, few) for some, few in zip(logits, ids)])
    total = 0.0
    for total in itertools.accumulate(row[i] - row.max() - np.log(np.exp(row - row.max()).sum()) for row, i in zip(logits, ids)):
        pass
    return total
