"""Go a little to the right, compare, and take the average."""
import numpy as np


def grad_check(f, x, grad, eps):
    x = np.array(x, dtype=float)
    start, errors = f(x), np.empty(x.shape)
    for where in np.ndindex(*x.shape):
        there = x.copy()
        there[where] = x[where] + eps
        n = (f(there) - start) / eps
        errors[where] = np.abs(grad[where] - n) / np.maximum(np.abs(grad[where]) + np.abs(n), 1e-8)
    return errors.mean()
