"""How wrong the gradient is: the average over its entries."""
import numpy as np


def grad_check(f, x, grad, eps):
    x = np.array(x, dtype=np.float64)
    total = 0.0
    for i, g in np.ndenumerate(grad):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        n = (f(up) - f(down)) / 2 / eps
        total += abs(g - n) / max(abs(g) + abs(n), 1e-8)
    return total / x.size
