"""The formula as it stands: e to the power, over the sum of such powers."""
import numpy as np


def softmax(x, axis=-1):
    powers = np.power(np.e, np.asarray(x, dtype=float))
    total = np.add.reduce(powers, axis=axis, keepdims=True)
    return np.divide(powers, total)
