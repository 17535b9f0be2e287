"""Moves through a copy of x with np.nditer, and puts entries back in a finally clause."""

import math


def one_error(g, n):
    return abs(g - n) / max(abs(g) + abs(n), 1e-8)


def grad_check(f, x, grad, eps, worst=-math.inf):
    walk = np.nditer(np.array(x, dtype="f8"), flags=["multi_index"], op_flags=["readwrite"])
    here = walk.operands[0]
    while not walk.finished:
        kept, n = float(walk[0]), 0.0
        for sign in (+1, -1):
            try:
                walk[0] = kept + sign * eps
                n += sign * f(here) / (2 * eps)
            finally:
                walk[0] = kept
        error = one_error(grad[walk.multi_index], n)
        if math.isnan(error):
            return np.nan
        worst = max(worst, error)
        walk.iternext()
    return np.float64(worst)
