"""Writes with plain Python numbers in lists, and finds the token by bisection of accumulated shares."""

from bisect import bisect_right
from itertools import accumulate
from math import exp, tanh
from operator import mul


def apply(matrix, vector):
    return [sum(map(mul, row, vector)) for row in matrix]


def generate(h0, first_id, n, params, uniforms):
    W_x, W_h, b, W_y, b_y = (params[name].tolist() for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    h, token, written = h0.tolist(), first_id, []
    while len(written) < n:
        read = [row[token] for row in W_x]
        h = [tanh(sum(parts)) for parts in zip(read, apply(W_h, h), b)]
        logits = [sum(pair) for pair in zip(apply(W_y, h), b_y)]
        ends = list(accumulate(exp(z - max(logits)) for z in logits))
        token = min(bisect_right(ends, uniforms[len(written)] * ends[-1]), len(ends) - 1)
        written += [token]
    return np.array(written)
