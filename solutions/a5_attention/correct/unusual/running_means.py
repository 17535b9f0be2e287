"""The mean moves a little towards each new vector; masks are asked of every pair by fromfunction."""

from itertools import accumulate, count


def average_context(x):
    numbers = count(2)
    means = accumulate(np.moveaxis(x, -2, 0), lambda mean, new: mean + (new - mean) / next(numbers))
    return np.moveaxis(np.stack(list(means)), 0, -2)


def causal_mask(T_q, T_k):
    return np.fromfunction(lambda i, j: j - i <= T_k - T_q, (T_q, T_k), dtype=int)


def padding_mask(ids, pad):
    return np.expand_dims(np.logical_not(np.isin(ids, [pad])), axis=-2)
