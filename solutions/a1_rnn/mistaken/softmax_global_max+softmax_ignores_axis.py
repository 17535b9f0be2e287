"""One constant for all, and rows are the last axis."""
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - np.amax(x))
    return e / np.expand_dims(e.sum(-1), -1)
