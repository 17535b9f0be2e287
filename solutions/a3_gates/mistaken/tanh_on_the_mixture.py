"""A state is always between -1 and 1, so the tanh comes last."""
import numpy as np


def gated_update(h_prev, candidate, z):
    pair, shares = np.stack([h_prev, candidate]), np.stack([1.0 - z, z])
    return np.tanh((pair * shares).sum(axis=0))
