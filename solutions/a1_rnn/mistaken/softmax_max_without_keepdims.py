"""Subtract the maximum along the axis, divide by the sum along the axis."""
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(np.subtract(x, np.amax(x, axis)))
    return np.divide(e, np.expand_dims(np.sum(e, axis), axis))
