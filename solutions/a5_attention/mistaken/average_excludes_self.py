"""The student believes that x[:i] is everything up to and including i."""

import numpy as np


def average_context(x):
    rows = [x[..., :i, :].mean(axis=-2) for i in range(x.shape[-2])]
    return np.stack(rows, axis=-2)
