"""Keep the largest error so far."""
import numpy as np


def grad_check(f, x, grad, eps):
    p, worst = np.array(x, dtype=float), 0.0
    for k in np.ndindex(p.shape):
        old = p[k]
        values = []
        for s in (eps, -eps):
            p[k] = old + s
            values.append(f(p))
        p[k] = old
        n = (values[0] - values[1]) / (2 * eps)
        e = abs(grad[k] - n) / max(abs(grad[k]) + abs(n), 1e-8)
        if e > worst:
            worst = e
    return worst
