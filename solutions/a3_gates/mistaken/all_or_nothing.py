"""A gate is open or closed."""
import numpy as np


def gated_update(h_prev, candidate, z):
    return np.choose((np.asarray(z) > 0.5).astype(int), [h_prev, candidate])
