"""The length of all is the lengths of each, added up."""
import numpy as np


def clip_grad_norm(grads, max_norm):
    norm = sum(np.linalg.norm(g.reshape(-1)) for g in grads.values())
    if norm <= max_norm:
        return {n: g.copy() for n, g in grads.items()}, norm
    return dict(zip(grads, (g * (max_norm / norm) for g in grads.values()))), norm
