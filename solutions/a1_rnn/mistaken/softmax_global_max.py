"""Take the largest number away first, then nothing can overflow."""
import numpy as np


def softmax(x, axis=-1):
    biggest = max(float(v) for v in np.ravel(x))
    moved = np.moveaxis(np.array(x, dtype=float), axis, 0)
    powers = np.exp(moved - biggest)
    return np.moveaxis(powers / powers.sum(0), 0, axis)
