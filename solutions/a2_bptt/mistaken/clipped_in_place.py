"""If it is too long, make it shorter."""
import numpy as np


def clip_grad_norm(grads, max_norm):
    norm = np.linalg.norm(np.hstack([g.flatten() for g in grads.values()]))
    if norm > max_norm:
        for g in grads.values():
            np.multiply(g, max_norm / norm, out=g)
    return grads, norm
