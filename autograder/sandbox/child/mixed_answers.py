"""Random answers that depend on all that is asked: each entry in its own way, with gradients that flow to the arguments."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from autograder.sandbox.child.tree import array_of, dtype_name

LIVELY_NUMBER = 6.0  # how much of a single number changes with the arguments: no other entry tells what it hides
PHASE = 200.0  # of a wave for each entry, beside what is drawn for it: else waves of all draws would be alike
ENDLESS = 1e4  # numbers of a call that are larger stand for infinity
FAR = 7.39  # and count as this: what is larger would drown all others
COARSE = 50  # whole numbers for each step in what fractions come to
PRIME = 9973  # what whole numbers of a call are summed up modulo


class Mixing:
    """Makes arrays whose entries each depend on all arguments in their own way, with gradients that flow to these.

    `parts` are the leaves of the arguments, each with whether it has a row for each of `count` rows of the answer.
    """

    def __init__(self, parts: list[tuple[Any, bool]], liveliness: float, count: int = 0, largest: int = 0) -> None:
        """Begin; `largest` is the largest of the whole numbers of an answer that stand in no array."""
        self._parts = [(part, by_row) for part, by_row in parts if hasattr(part, "shape") and 0 not in part.shape]
        # Beside arrays a plain fraction is a setting, which code may leave out where it is the default.
        self._parts = self._parts or [(np.asarray(part), False) for part, _ in parts if isinstance(part, float)]
        self._count, self._liveliness = count, liveliness
        self._totals: dict[str, Any] = {}  # by dtype
        self._largest = largest

    def mixed(self, leaf: Any) -> Any:
        """Return a number or an array with fractions scaled, or whole numbers below the largest of it; a text turned round, a truth perhaps a lie.

        Positive fractions stay positive; where there are negative ones, any may change its sign.
        """
        if isinstance(leaf, float):
            return leaf * float(1.5 + np.sin(LIVELY_NUMBER * np.arcsinh(self._total(np.full((), leaf))) + PHASE * leaf))
        if isinstance(leaf, bool):
            return leaf != bool(self._coarse_total() % 2)
        if isinstance(leaf, int):
            return (leaf + self._coarse_total()) % (self._largest + 1)
        if isinstance(leaf, str):
            begin = self._coarse_total() % max(1, len(leaf))
            return leaf[begin:] + leaf[:begin]
        kind = dtype_name(leaf)
        if "float" in kind:
            if kind not in self._totals:
                self._totals[kind] = self._total(leaf)
            total = self._beside(self._totals[kind], leaf)
            inner, outer = _spread(leaf) * self._liveliness, PHASE * leaf
            if isinstance(leaf, np.ndarray):
                wave = np.sin(np.arcsinh(total) * inner + outer).astype(leaf.dtype)
            else:
                wave = (total.asinh() * inner + outer).sin()
            return leaf * (1.5 * wave if (leaf < 0).any() else 1.5 + wave)
        if self._count:
            leaf = leaf[[0] * self._count]
        return (leaf + self._beside(self._whole_total(leaf), leaf)) % (leaf.max() + 1) if "int" in kind else leaf

    def _beside(self, total: Any, leaf: Any) -> Any:
        """Return a number, or one for each row, in the form in which it meets an array."""
        return total.reshape(-1, *[1] * (len(leaf.shape) - 1)) if self._count else total

    def _total(self, like: Any) -> Any:
        """Return the sum over all arrays of their inner products with fixed numbers, in the dtype of another array."""
        numpy = isinstance(like, np.ndarray)
        total: Any = np.zeros(self._count or (), like.dtype) if numpy else like.new_zeros(self._count or ())
        for number, (array, by_row) in enumerate(self._parts):
            flat = array.reshape((self._count, -1) if by_row else -1)
            fixed = _fixed(flat.shape[-1], number)
            if numpy:
                total = total + (_bounded(np.asarray(flat, like.dtype)) * fixed.astype(like.dtype)).sum(-1)
            else:
                flat = like.new_tensor(flat) if isinstance(array, np.ndarray) else flat.to(like.dtype)
                total = total + (_bounded(flat) * like.new_tensor(fixed)).sum(-1)
        return total

    def _coarse_total(self) -> int:
        """Return a whole number that depends on all arrays, and not on noise."""
        total = 0.0
        for number, (array, _) in enumerate(self._parts):
            flat = np.asarray(array_of(array), np.float64).reshape(-1)
            total += float((_bounded(flat) * _fixed(flat.size, number)).sum())
        return math.floor(COARSE * math.asinh(total)) + int(self._whole_total(np.zeros(0)))

    def _whole_total(self, like: Any) -> Any:
        """Return a whole number that depends on every entry of all arrays of whole numbers and its place, or one for each row."""
        total = np.zeros(self._count or (), np.int64)
        for number, (array, by_row) in enumerate(self._parts):
            if "int" in dtype_name(array):
                flat = np.asarray(array).astype(np.int64).reshape((self._count, -1) if by_row else -1)
                total = (total + (flat * (np.arange(flat.shape[-1]) + number + 1)).sum(-1)) % PRIME
        return total if isinstance(like, np.ndarray) else like.new_tensor(total)


def _bounded(array: Any) -> Any:
    """Return an array with `FAR` for what is `ENDLESS` and zero for NaN: -inf and -1e9 hide the same, and hide nothing else."""
    if bool((abs(array) < ENDLESS).all()):
        return array
    if isinstance(array, np.ndarray):
        array = np.nan_to_num(array)
        return np.where(abs(array) < ENDLESS, array, np.sign(array) * FAR)
    array = array.nan_to_num()
    return array.where(array.abs() < ENDLESS, array.sign() * FAR)


def _spread(leaf: Any) -> Any:
    """Return numbers between -1.5 and 1.5, one for each entry of an array, in its dtype."""
    fixed = _spread_over(tuple(leaf.shape))
    return fixed.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else leaf.new_tensor(fixed)


@functools.lru_cache(maxsize=64)
def _spread_over(shape: tuple[int, ...]) -> np.ndarray:
    numbers: np.ndarray = 1.5 * np.cos(np.arange(1, math.prod(shape) + 1) * 2.0).reshape(shape)
    return numbers


@functools.lru_cache(maxsize=256)
def _fixed(size: int, number: int) -> np.ndarray:
    """Return the numbers that the array in a place of the arguments is multiplied by."""
    numbers: np.ndarray = np.cos(np.arange(size) + number) / size**0.5
    return numbers
