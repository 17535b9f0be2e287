"""The ways in which a wrong array may be related to the right one: rearranged, summed, scaled, or with a term too many.

Each function returns relations by name; a relation is asked for two arrays, which are alike where it holds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from autograder.judge.array_pairs import Part
from autograder.judge.rearranged import (
    Asked,
    Pair,
    Relations,
    as_they_are,
    axes_of,
    axis_of,
    elsewhere,
    first_entries,
    last_entries,
    rearranged,
    reordered,
)
from autograder.judge.tolerance import deviation

NOISE = 1e-6  # by how much a number may be off that should be a whole one
NEAR = 1e-3  # by how much a factor may differ from what it is said to be; arrays are compared afterwards
FIRST_DIGITS = 0.01  # the largest deviation of an answer whose first digits are right
# Factors that are no size of anything, by how they are written.
CONSTANTS = {
    "-1": -1.0, "2": 2.0, "1/2": 0.5, "-2": -2.0, "-1/2": -0.5, "sqrt(2)": math.sqrt(2), "1/sqrt(2)": math.sqrt(0.5),
    "log(2)": math.log(2), "1/log(2)": 1 / math.log(2), "4": 4.0, "1/4": 0.25, "10": 10.0, "1/10": 0.1,
    "pi": math.pi, "1/pi": 1 / math.pi, "2 pi": 2 * math.pi,
}  # fmt: skip


def _softmax(x: np.ndarray) -> np.ndarray:
    if not x.ndim:
        return np.ones(())
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


MAPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exponential": np.exp,
    "logarithm": np.log,
    "binary_logarithm": np.log2,
    "root": np.sqrt,
    "square": np.square,
    "reciprocal": lambda x: 1 / x,
    "complement": lambda x: 1 - x,
    "absolute": np.abs,
    "negatives_are_zero": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "softmax": _softmax,
    "softmax_of_negated": lambda x: _softmax(-x),
    "whole_numbers": np.trunc,
    "rounded": np.rint,
    "one_more": lambda x: x + 1,
    "one_less": lambda x: x - 1,
}
REDUCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "sum": np.sum,
    "mean": np.mean,
    "largest": np.max,
    "first": lambda array, axis: np.take(array, 0, axis),
    "last": lambda array, axis: np.take(array, -1, axis),
}
UNDONE = ("softmax", "sigmoid", "tanh")  # of which it is asked as well whether they are missing


def plain_relations(part: Part) -> Relations:
    """Return the relations that can be asked about what came and what was expected and that say most."""
    if part.got.dtype.kind == "b" or part.expected.dtype.kind == "b":
        return {**dict(rearranged(part)), **_inverted(part)}
    if part.got.shape != part.expected.shape:
        found = {**dict(_copied(part)), **dict(rearranged(part)), **dict(_reduced(part)), **dict(_unreduced(part))}
        return {**found, **dict(elsewhere(part))}
    found = {**dict(_copied(part)), **dict(rearranged(part)), **dict(_cut_off(part)), **dict(_scaled(part))}
    return {**found, **dict(_rounded(part))}


def other_relations(part: Part) -> Relations:
    """Return the relations that leave more open."""
    if part.got.dtype.kind == "b" or part.expected.dtype.kind == "b" or part.got.shape != part.expected.shape:
        return {}
    return {**dict(reordered(part)), **dict(_mapped(part)), **dict(_accumulated(part)), **dict(_terms(part))}


def _inverted(part: Part) -> Relations:
    """Have True and False changed places?"""
    if not np.isin(part.got, (0, 1)).all():
        return {}
    return {("inverted_values",): lambda: (part.got.astype(bool), ~part.expected.astype(bool))}


def _copied(part: Part) -> Asked:
    """Is it an argument as it came, or another part of the answer?"""
    for name, array in part.given.items():
        if array.shape == part.got.shape and array.ndim:
            yield ("unchanged", name), partial(as_they_are, part.got, array)
    for name, array in part.beside.items():
        if array.shape == part.got.shape:
            yield ("other_part", name), partial(as_they_are, part.got, array)


def _reduced(part: Part) -> Asked:
    """Is it a sum, mean or slice of what was expected?"""
    got, expected = part.got, part.expected
    for axis, called in axes_of(expected):
        for kind, way in REDUCTIONS.items():
            yield (kind + "_of", called), partial(_reduction, way, axis, expected, got)
        if got.ndim == expected.ndim and 2 * got.shape[axis] == expected.shape[axis]:
            yield ("even_entries_of", called), partial(_every_other, expected, axis, 0, got)
            yield ("odd_entries_of", called), partial(_every_other, expected, axis, 1, got)
        if got.ndim == expected.ndim and got.shape[axis] < expected.shape[axis]:
            yield ("lacks_beginning", called), partial(_cut, last_entries, axis, expected, got)
            yield ("lacks_end", called), partial(_cut, first_entries, axis, expected, got)


def _unreduced(part: Part) -> Asked:
    """Is what was expected a sum, mean or slice of it?"""
    got, expected = part.got, part.expected
    for axis, called in axes_of(got):
        if got.shape[axis] > 1 and not np.ptp(got, axis).any():
            yield ("repeated_along", called), partial(_reduction, REDUCTIONS["first"], axis, got, expected)
        for kind, way in REDUCTIONS.items():
            yield ("not_" + kind, called), partial(_reduction, way, axis, got, expected)
        if got.ndim == expected.ndim and got.shape[axis] > expected.shape[axis]:
            yield ("has_beginning", called), partial(_cut, last_entries, axis, got, expected)
            yield ("has_end", called), partial(_cut, first_entries, axis, got, expected)
    for kind in ("sum", "mean"):
        yield ("not_" + kind, "all axes"), partial(_reduction, REDUCTIONS[kind], None, got, expected)


def _cut(way: Callable[[np.ndarray, int, int], np.ndarray], axis: int, whole: np.ndarray, other: np.ndarray) -> Pair:
    """Return an array, and another cut to its length along an axis."""
    return other, way(whole, axis, other.shape[axis])


def _every_other(whole: np.ndarray, axis: int, first: int, other: np.ndarray) -> Pair:
    """Return every other entry of an array along an axis, and the other array."""
    return other, np.take(whole, range(first, whole.shape[axis], 2), axis)


def _reduction(way: Callable[..., np.ndarray], axis: int | None, whole: np.ndarray, other: np.ndarray) -> Pair:
    """Return an array reduced along an axis, and the other; both without axes of length one."""
    return np.squeeze(other), np.squeeze(way(whole, axis=axis))


def _scaled(part: Part) -> Asked:
    """Is everything off by one factor, and is that a size of something that the call was given?"""
    got, expected = part.got, part.expected
    if not got.any():
        yield ("zero",), lambda: (expected - got, expected)
    factor = float((got * expected).sum() / (expected**2).sum())
    if not math.isfinite(factor) or not part.agrees(got, expected * factor):
        return
    for kind, name, value in itertools.chain(_constants(), _sizes(part)):
        if abs(factor - value) <= NEAR * abs(value):
            words = (name,) if kind != "divided_by_other" else (name, "the number of True in it")
            yield (kind, *words), partial(as_they_are, got, expected * value)


def _cut_off(part: Part) -> Asked:
    """Is it an array of whole numbers into which fractions were written?"""
    got, expected = part.got, part.expected
    if got.dtype.kind == "i" and expected.dtype.kind == "f":
        least, most = np.trunc(expected * (1 - NOISE)), np.trunc(expected * (1 + NOISE))
        yield ("fractions_cut_off", str(got.dtype)), lambda: (got, np.where(got == least, least, most))


def _rounded(part: Part) -> Asked:
    """Has it no more digits than a smaller format keeps, where the right one has, and are its first digits right?

    What little is left of a difference in float32 fits into float16 as well, so then both are named.
    """
    got, expected = part.got, part.expected
    if got.dtype.kind != "f" or expected.dtype.kind != "f" or deviation(got, expected) > FIRST_DIGITS:
        return
    fits = {kept: (got == got.astype(kept)).all() for kept in (np.float16, np.float32)}
    longer = {kept: (expected != expected.astype(kept)).any() for kept in fits}
    short = not longer[np.float16]  # such as 3.0 and 0.5, which every format keeps
    names = {
        "float32": fits[np.float32] and not fits[np.float16] and (longer[np.float32] or short),
        "float16 or float32": fits[np.float16] and (longer[np.float32] or short),
        "float16 or bfloat16": fits[np.float16] and not longer[np.float32],
    }
    for name in (name for name, so in names.items() if so):
        yield ("lower_precision", name), partial(as_they_are, expected, expected)


def _constants() -> Iterator[tuple[str, str, float]]:
    return (("constant_factor", name, value) for name, value in CONSTANTS.items())


def _sizes(part: Part) -> Iterator[tuple[str, str, float]]:
    """Yield what may have become a factor: lengths of axes, counts of masks, and numbers among the arguments."""
    for name, array in part.given.items():
        if not array.ndim and array.dtype.kind == "f" and array > 0:
            yield from _powers(f"`{name}`", float(array))
        for axis, length in enumerate(array.shape):
            for called in (f"axis {axis}", axis_of(axis - array.ndim)):
                yield from _factors_of(f"the length of {called} of `{name}`", length)
        if array.ndim > 1:
            yield from _powers(f"the number of entries of `{name}`", array.size)
        if array.dtype.kind == "b" and array.any():
            count = int(array.sum())
            yield from _powers(f"the number of True in `{name}`", count)
            for axis, length in enumerate(array.shape):
                yield "divided_by_other", f"the length of axis {axis} of `{name}`", count / length
            yield "divided_by_other", f"the number of entries of `{name}`", count / array.size


def _factors_of(name: str, length: int) -> Iterator[tuple[str, str, float]]:
    yield from _powers(name, length)
    if length > 1:
        yield "one_less_counted", name, length / (length - 1)
        yield "one_more_counted", name, (length - 1) / length


def _powers(name: str, size: float) -> Iterator[tuple[str, str, float]]:
    if size != 1:
        yield "times", name, size
        yield "divided", name, 1 / size
        yield "times_root", name, math.sqrt(size)
        yield "divided_root", name, 1 / math.sqrt(size)


def _mapped(part: Part) -> Asked:
    """Is it a function of what was expected, or the other way round?"""
    for name, change in MAPS.items():
        yield ("map", name), partial(_map, change, part.expected, part.got)
    for name in UNDONE:
        yield ("no_map", name), partial(_map, MAPS[name], part.got, part.expected)


def _map(change: Callable[[np.ndarray], np.ndarray], array: np.ndarray, other: np.ndarray) -> Pair:
    return other, change(array)


def _accumulated(part: Part) -> Asked:
    """Does it add up along an axis, or not add up where that was expected?"""
    for axis, called in axes_of(part.expected):
        if part.expected.shape[axis] > 1:
            yield from _added_along(part.got, part.expected, axis, called)


def _added_along(got: np.ndarray, expected: np.ndarray, axis: int, called: str) -> Asked:
    yield ("summed_along", called), lambda: (got, expected.cumsum(axis))
    yield ("not_summed_along", called), lambda: (expected, got.cumsum(axis))
    yield ("divided_by_sum", called), lambda: (got, expected / expected.sum(axis, keepdims=True))


def _terms(part: Part) -> Asked:
    """Is an argument missing from it, or in it once too often?"""
    for name, array in part.given.items():
        if array.dtype.kind == "f" and array.ndim and array.any() and _fits(array, part.expected):
            yield from _with_term(part.got, part.expected, array, name)


def _with_term(got: np.ndarray, expected: np.ndarray, term: np.ndarray, name: str) -> Asked:
    yield ("lacks", name), lambda: (got, expected - term)
    yield ("has_too_much", name), lambda: (got, expected + term)
    yield ("lacks_factor", name), lambda: (expected, got * term)
    yield ("has_factor", name), lambda: (got, expected * term)


def _fits(array: np.ndarray, other: np.ndarray) -> bool:
    """Whether an array can be added to another without changing its shape."""
    pairs = zip(reversed(array.shape), reversed(other.shape), strict=False)
    return array.ndim <= other.ndim and all(n in (1, m) for n, m in pairs)
