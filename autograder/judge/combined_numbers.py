"""Guess which two known mistakes a student's numbers may come of: from what each gives alone, without running them together.

Two mistakes in one function change all numbers more often than not, and then neither is seen in any of them. But what they give
together mostly lies near what both differences from the right numbers give, or both factors, or goes up and down with that. It is
a guess, and only says which pairs to run first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.judge.sieve import Names, numbers_of
from autograder.judge.trials import Facts, Trial
from autograder.sandbox.job import Outcome

FAR = 2.0  # of a pair of which nothing can be said
_NONE = 1e-12


def how_far(oracle: Facts, own: Sequence[Names], trial: Trial, got: tuple[Outcome, ...]) -> np.ndarray:
    """Return how far a student's numbers are from the guess for each two mistakes: (mistakes, mistakes), from 0 to `FAR`."""
    far = np.full((len(own), len(own)), FAR)
    numbers = numbers_of(oracle, own, trial, got)
    if numbers is None:
        return far
    mine, right, like, alone = numbers
    here = np.isfinite(mine) & np.isfinite(right) & np.isfinite(alone).all(axis=0)
    mine, right, alone = mine[here], right[here], alone[:, here]
    one, other = alone[:, None], alone[None, :]
    with np.errstate(all="ignore"):  # wrong numbers may be of any size
        off = np.median(np.abs(mine - right)) if len(mine) else 0.0
        if off <= _NONE:
            return far
        guesses = one + other - right, np.where(right == 0, mine, one * other / right)
        near = np.minimum(*(np.median(np.abs(guess - mine), axis=-1) / off for guess in guesses))
        together = np.minimum(*(_unlike(guess, mine) for guess in guesses))
        guessed = np.minimum(near, 1.0) + together
    far[np.ix_(like, like)] = np.nan_to_num(guessed, nan=FAR, posinf=FAR, neginf=FAR)
    return far


def _unlike(guess: np.ndarray, mine: np.ndarray) -> np.ndarray:
    """Return 1 less the correlation of each guess with the student's numbers, whatever its sign."""
    centred, other = guess - guess.mean(axis=-1, keepdims=True), mine - mine.mean()
    sizes = np.linalg.norm(centred, axis=-1) * np.linalg.norm(other)
    unlike: np.ndarray = 1 - np.abs(centred @ other) / np.maximum(sizes, _NONE)
    return unlike
