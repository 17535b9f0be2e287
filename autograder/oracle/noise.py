"""Compare outcomes among stand-ins, which multiply rounding: what is next to nothing is zero, and fractions may be further off."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.tolerance import TOLERANCE, deviation
from autograder.judge.trials import Trial
from autograder.sandbox.child.tree import Tensor, array_of, leaves, map_leaves
from autograder.sandbox.job import Outcome

NEAR = 3e-3  # how far fractions among stand-ins may be off


def alike_but_for_noise(trial: Trial, got: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> bool:
    """Whether outcomes are the right ones: fractions by far more than rounding makes of it, through what stand-ins multiply.

    Each array is compared by its own size. So a gradient that is zero but for rounding would decide by its rounding: an array
    that holds next to nothing beside the largest right number is zero.
    """
    pairs = [
        (_without_noise(mine, theirs), _without_noise(theirs, theirs)) for mine, theirs in zip(got, right, strict=True)
    ]
    return same_outcomes(trial, tuple(mine for mine, _ in pairs), tuple(theirs for _, theirs in pairs))


def _without_noise(outcome: Outcome, right: Outcome) -> Outcome:
    rights = list(leaves(right.value))
    arrays = [array for leaf in rights if (array := fractions_in(leaf)) is not None]
    noise = TOLERANCE * max(
        (float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) for array in arrays), default=0.0
    )
    at_its_place = iter(rights)

    def heard(leaf: Any) -> Any:
        array, other = fractions_in(leaf), next(at_its_place, None)
        if array is None:
            return leaf
        if (np.abs(array) <= noise).all():
            zeros = np.zeros_like(array)
            return Tensor(zeros) if isinstance(leaf, Tensor) else zeros if isinstance(leaf, np.ndarray) else 0.0
        theirs = fractions_in(other)
        near = theirs is not None and theirs.shape == array.shape and deviation(array, theirs) < NEAR
        return other if near and type(other) is type(leaf) else leaf

    return replace(outcome, value=map_leaves(heard, outcome.value))


def fractions_in(leaf: Any) -> np.ndarray | None:
    """Return a number or an array as an array, if it holds fractions."""
    array = np.asarray(leaf) if isinstance(leaf, float) else array_of(leaf)
    return array if array is not None and array.dtype.kind == "f" else None
