"""The student forgets to look for overflows."""

import numpy as np


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    g = [x.astype(np.float64) / scale for x in grads]
    norm = np.sqrt(sum(np.sum(x * x) for x in g))
    g = [x * (max_norm / norm if norm > max_norm else 1.0) for x in g]
    good = good + 1
    if good == interval:
        scale, good = 2 * scale, 0
    return [w - lr * x for w, x in zip(weights, g)], scale, good
