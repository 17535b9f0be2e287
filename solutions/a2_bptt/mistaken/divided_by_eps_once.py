"""The difference over the step."""
import numpy as np


def grad_check(f, x, grad, eps):
    flat, g = np.array(x, dtype=float).reshape(-1), np.asarray(grad, dtype=float).reshape(-1)

    def at(k, step):
        return f((flat + step * (np.arange(flat.size) == k)).reshape(np.shape(x)))

    n = np.array([(at(k, eps) - at(k, -eps)) / eps for k in range(flat.size)])
    return np.max(np.abs(g - n) / np.maximum(np.abs(g) + np.abs(n), 1e-8))
