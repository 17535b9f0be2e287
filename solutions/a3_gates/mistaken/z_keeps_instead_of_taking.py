"""z says how much of the way back to the past one goes."""
import numpy as np


def gated_update(h_prev, candidate, z):
    out = np.array(candidate, dtype=float)
    out += z * (h_prev - candidate)
    return out
