"""Probabilities: what counts as them, and how numbers are normalised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.sandbox.child.probabilities import as_probabilities, axis_of_probabilities

WEIGHTS = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("array", "axis"),
    [
        (WEIGHTS, -1),
        (WEIGHTS.T, -2),
        (WEIGHTS.T[:, None], -3),
        (np.full((2, 2), 0.5), -1),  # along both: the last one is what people mean
        (WEIGHTS * 2, 0),
        (np.array([[1.5, -0.5]]), 0),
        (np.ones((3, 1)), 0),
        (np.eye(3, dtype=int), 0),  # a mask, or tokens, and no fractions
        (np.eye(3, dtype=bool), 0),
        (np.zeros((0, 2)), 0),
        (np.float64(1.0), 0),
        (1.0, 0),
    ],
)
def test_probabilities_are_fractions_that_sum_to_one(array: Any, axis: int) -> None:
    """Along an axis longer than one, which is counted from the end."""
    assert axis_of_probabilities(array) == axis


def test_tensors_hold_probabilities_too() -> None:
    """Of them `sum` has other words for the same."""
    import torch

    weights = torch.tensor(WEIGHTS)
    assert axis_of_probabilities(weights) == -1
    assert axis_of_probabilities(weights > 0) == 0
    assert np.allclose(as_probabilities(weights * weights, -1), as_probabilities(WEIGHTS**2, -1))


def test_numbers_are_normalised() -> None:
    """Where there is such an axis."""
    assert np.allclose(as_probabilities(np.array([[1.0, 3.0], [2.0, 2.0], [1.0, 0.0]]), -1), WEIGHTS)
    assert as_probabilities(WEIGHTS, 0) is WEIGHTS
    assert as_probabilities(WEIGHTS, -3) is WEIGHTS
