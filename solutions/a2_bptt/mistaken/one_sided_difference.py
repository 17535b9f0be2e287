"""The derivative as school has it: go a little to the right."""
import numpy as np


def grad_check(f, x, grad, eps):
    base = np.asarray(x, dtype=float)
    here = f(base.copy())
    worst = 0.0
    for k in range(base.size):
        moved = base.copy()
        moved.flat[k] += eps
        slope = (f(moved) - here) / eps
        g = float(np.ravel(grad)[k])
        err = abs(g - slope) / max(abs(g) + abs(slope), 1e-8)
        if not err <= worst:
            worst = err
            if err != err:
                break
    return worst
