"""Draw random answers of the kind that a right one is of."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.oracle.noise import fractions_in
from autograder.sandbox.child.probabilities import as_probabilities, axis_of_probabilities
from autograder.sandbox.child.tree import Tensor, array_of, leaves, map_leaves

# The smallest fraction that is drawn beside one; probabilities are made of the latter.
LEAST, LEAST_PROBABLE = 0.05, 0.6
MANY = 0.7  # the share of true entries in a random mask; the first of each row is true, so that no row is hidden whole


def drawn_like(answer: Any, rng: np.random.Generator, *, signed: bool = False) -> Any:
    """Return random values of the same kinds and shapes, whole numbers from the same range, probabilities for probabilities.

    Fractions are positive; with `signed` some are negative where some of the right ones are: of positive states one token is
    always the likeliest. A text has its letters in another order. Raises ValueError for what is no data.
    """
    largest = max((leaf for leaf in leaves(answer) if type(leaf) is int), default=0)

    def drawn(leaf: Any) -> Any:
        if array_of(leaf) is None:
            return _drawn_alone(leaf, rng, largest)
        made = _drawn_array(leaf, rng)
        array = fractions_in(leaf)
        if not signed or array is None or not (array < 0).any():
            return made
        turned = np.asarray(array_of(made)) * rng.choice((-1, 1), array.shape).astype(array.dtype)
        return turned if isinstance(made, np.ndarray) else Tensor(turned)

    return map_leaves(drawn, answer)


def _drawn_alone(leaf: Any, rng: np.random.Generator, largest: int) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, bool):
        return bool(rng.uniform() < MANY)
    if isinstance(leaf, int) and leaf >= 0:
        return int(rng.integers(largest + 1))
    if isinstance(leaf, float):
        return float(rng.uniform())
    if isinstance(leaf, str):
        return "".join(rng.permutation(list(leaf)))
    raise ValueError("nothing random can stand in for it")


def _drawn_array(leaf: Any, rng: np.random.Generator) -> Any:
    array = np.asarray(array_of(leaf))
    if array.dtype.kind == "f":
        axis = axis_of_probabilities(array)
        # Of probabilities the largest is to be another one in each call, or code that says one token for ever is right.
        least = LEAST_PROBABLE if axis else LEAST
        drawn = as_probabilities(rng.uniform(least, 1.0, array.shape), axis).astype(array.dtype)
    elif array.dtype == bool:
        drawn = rng.uniform(size=array.shape) < MANY
        drawn[..., :1] = True
    elif array.dtype.kind in "iu" and array.size and array.min() >= 0:
        drawn = rng.integers(array.max() + 1, size=array.shape).astype(array.dtype)
    else:
        raise ValueError("nothing random can stand in for it")
    return drawn if isinstance(leaf, np.ndarray) else Tensor(drawn)
