"""Nothing may be larger than max_norm."""
import numpy as np


def clip_grad_norm(grads, max_norm):
    everything = np.concatenate([np.ravel(g) for g in grads.values()])
    return {n: np.minimum(np.maximum(g, -max_norm), max_norm) for n, g in grads.items()}, np.linalg.norm(everything)
