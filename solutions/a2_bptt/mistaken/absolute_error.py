"""The largest difference between gradient and measured slope."""
import numpy as np


def grad_check(f, x, grad, eps):
    x = np.array(x, dtype=np.float64)
    slopes = []
    for unit in np.eye(x.size):
        step = eps * unit.reshape(x.shape)
        slopes.append((f(x + step) - f(x - step)) / (eps + eps))
    return float(np.max(np.abs(np.array(slopes) - np.ravel(grad))))
