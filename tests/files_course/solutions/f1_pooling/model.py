"""The model: it takes its weights from layers.py."""

import numpy as np
from layers import weights_of


def pooled(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each row of `scores` the mean of the rows of `values`, by the weights of the scores."""
    # BEGIN SOLUTION
    weights = weights_of(scores)
    return weights @ values
    # END SOLUTION
