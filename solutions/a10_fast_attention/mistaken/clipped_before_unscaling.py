"""The student clips what arrives by its own norm, and divides what is left."""

import numpy as np


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    g = [np.asarray(x, dtype=np.float64) for x in grads]
    total = sum(float((x * x).sum()) for x in g) ** 0.5
    if not np.isfinite(total):
        return [w + 0.0 for w in weights], scale * 0.5, 0
    if total > max_norm:
        g = [x * max_norm / total for x in g]
    new = [w - lr * x / scale for w, x in zip(weights, g)]
    return (new, scale * 2, 0) if good == interval - 1 else (new, scale, good + 1)
