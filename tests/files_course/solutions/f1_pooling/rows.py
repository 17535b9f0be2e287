"""What is given: nothing to change here."""

import numpy as np


def largest_of(x: np.ndarray) -> np.ndarray:
    """Return the largest entry of each row, with its axis kept."""
    return x.max(axis=-1, keepdims=True)
