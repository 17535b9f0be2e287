"""Make it max_norm long."""
import math

import numpy as np


def clip_grad_norm(grads, max_norm):
    norm = math.sqrt(math.fsum(float(v) ** 2 for g in grads.values() for v in np.ravel(g)))
    if norm == 0:
        return {name: np.copy(g) for name, g in grads.items()}, norm
    return {name: np.multiply(g, max_norm) / norm for name, g in grads.items()}, norm
