"""Is a wrong array the right one with its numbers in other places: transposed, turned round, reversed, shifted, or in another order?"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from autograder.course.spec import Visibility
from autograder.judge.array_pairs import Part
from autograder.judge.reasons import Key
from autograder.judge.trials import Trial

Pair = tuple[np.ndarray, np.ndarray]
Relations = Mapping[Key, Callable[[], Pair]]
Asked = Iterator[tuple[Key, Callable[[], Pair]]]
MOST_AXES = 5
SHIFTED = 3  # the fewest entries along an axis of which it can be told that they are shifted
_AXES = {-1: "the last axis", -2: "the axis before the last"}


def axis_of(axis: int) -> str:
    """Name an axis that is counted from the end."""
    return _AXES.get(axis, f"axis {axis}")


def axes_of(array: np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield the axes of an array as they are counted from the end, and what they are called."""
    return ((-i, axis_of(-i)) for i in range(1, min(array.ndim, MOST_AXES) + 1))


def as_they_are(one: np.ndarray, other: np.ndarray) -> Pair:
    """Return two arrays to compare."""
    return one, other


def rearranged(part: Part) -> Asked:
    """Are the numbers the right ones, in other places?"""
    got, expected = part.got, part.expected
    for (i, one), (j, other) in itertools.combinations(axes_of(expected), 2):
        yield ("transposed", other, one), partial(as_they_are, got, expected.swapaxes(i, j))
    yield from _turned_round(part)
    if got.shape != expected.shape:
        if got.size == expected.size:
            same = [n for n in got.shape if n > 1] == [n for n in expected.shape if n > 1]
            yield ("axis_of_length_one" if same else "other_shape",), lambda: (got, expected.reshape(got.shape))
        return
    for axis, called in axes_of(expected):
        yield from _moved_along(got, expected, axis, called)


def under_other_keys(parts: Sequence[Part]) -> Key | None:
    """Are the numbers of dicts right, but under other keys? Public calls are asked, as of others not all keys are parts."""
    dicts = defaultdict[tuple[Trial, int], list[Part]](list)
    for part in parts:
        if part.trial.case.visibility is Visibility.PUBLIC:
            dicts[part.trial, part.call].append(part)
    wrong = [one for one in dicts.values() if any(part.is_wrong for part in one)]
    return ("other_keys",) if wrong and all(map(_are_exchanged, wrong)) else None


def _are_exchanged(parts: Sequence[Part]) -> bool:
    by_key = all(len(part.path) == 1 and isinstance(part.path[0], str) for part in parts)
    numbers = by_key and all(part.got.size == part.expected.size == 1 for part in parts)
    return numbers and sorted(p.got.item() for p in parts) == sorted(p.expected.item() for p in parts)


def _turned_round(part: Part) -> Asked:
    """Do the axes stand in another order, in each call in one of its own?"""
    got, expected = part.got, part.expected
    if sorted(got.shape) != sorted(expected.shape) or expected.ndim > MOST_AXES:
        return
    if not part.agrees(np.sort(got, axis=None), np.sort(expected, axis=None)):
        return  # which spares most answers a hundred comparisons
    orders = itertools.islice(itertools.permutations(range(expected.ndim)), 1, None)  # the first is the right one
    turned = (expected.transpose(order) for order in orders)
    found = next((one for one in turned if one.shape == got.shape and part.agrees(got, one)), None)
    if found is not None:
        yield ("axes_in_another_order",), partial(as_they_are, got, found)


def reordered(part: Part) -> Asked:
    """Are the numbers the right ones, in another order? Ids would often be, since they are few."""
    if part.expected.dtype.kind == "f":
        for axis, called in axes_of(part.expected):
            yield ("reordered", called), partial(_in_order, part.got, part.expected, axis)
        yield ("other_places",), lambda: (np.sort(part.got, axis=None), np.sort(part.expected, axis=None))


def elsewhere(part: Part) -> Asked:
    """Are the numbers of an array of another shape the right ones, or some of these, wherever they stand?"""
    got, expected = (np.sort(array, axis=None) for array in (part.got, part.expected))
    if part.expected.dtype.kind == "f" and part.got.dtype.kind == "f":
        if got.size == expected.size:
            yield ("other_places_and_shape",), partial(as_they_are, got, expected)
        elif got.size < expected.size:
            yield ("some_of",), lambda: (got, _nearest(got, expected))


def _nearest(numbers: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return for each of some sorted numbers the nearest of others, which are sorted as well and more, each once; NaN for none."""
    found, place = np.full(len(numbers), np.nan), 0
    for index, number in enumerate(numbers):
        room = len(among) - (len(numbers) - index - 1)
        if place >= room:
            break
        place += int(np.abs(among[place:room] - number).argmin())
        found[index] = among[place]
        place += 1
    return found


def _moved_along(got: np.ndarray, expected: np.ndarray, axis: int, called: str) -> Asked:
    if expected.shape[axis] > 1:
        yield ("reversed", called), lambda: (got, np.flip(expected, axis))
    rest = expected.shape[axis] - 1
    if rest + 1 >= SHIFTED:
        yield ("too_late", called), lambda: (last_entries(got, axis, rest), first_entries(expected, axis, rest))
        yield ("too_early", called), lambda: (first_entries(got, axis, rest), last_entries(expected, axis, rest))


def _in_order(got: np.ndarray, expected: np.ndarray, axis: int) -> Pair:
    """Return both with the slices along an axis in an order of their own: by their first entry."""

    def ordered(array: np.ndarray) -> np.ndarray:
        rows = np.moveaxis(array, axis, 0)
        return rows[np.argsort(rows.reshape(len(rows), -1)[:, 0])]

    return ordered(got), ordered(expected)


def first_entries(array: np.ndarray, axis: int, count: int) -> np.ndarray:
    """Return so many entries along an axis, the first ones."""
    return np.take(array, range(count), axis)


def last_entries(array: np.ndarray, axis: int, count: int) -> np.ndarray:
    """Return so many entries along an axis, the last ones."""
    return np.take(array, range(array.shape[axis] - count, array.shape[axis]), axis)
