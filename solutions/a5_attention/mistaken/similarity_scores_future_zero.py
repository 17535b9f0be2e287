"""The student hides the future by np.tril of the scores, since zero looks like nothing."""

import numpy as np


def similarity_context(x):
    d = x.shape[-1]
    hidden = np.tril(np.matmul(x, np.moveaxis(x, -1, -2)) / d**0.5)
    log_total = np.logaddexp.reduce(hidden, axis=-1, keepdims=True)
    return np.matmul(np.exp(hidden - log_total), x)
