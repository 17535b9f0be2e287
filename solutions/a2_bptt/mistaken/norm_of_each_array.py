"""A gradient that is too long is shortened, and each array is a gradient."""
import numpy as np


def clip_grad_norm(grads, max_norm):
    out, squares = {}, 0.0
    for name in grads:
        length = np.linalg.norm(grads[name].ravel())
        squares += length * length
        out[name] = grads[name].copy() if length <= max_norm else grads[name] / length * max_norm
    return out, squares**0.5
