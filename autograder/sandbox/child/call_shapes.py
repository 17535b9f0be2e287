"""Tell by the shapes of a call how it is like a known one: with other rows, an axis more in front, or one of length one less."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from autograder.sandbox.child.tree import map_leaves

Shapes = list[Any]  # of a call's arguments, in the order of the parameters
ByRow = list[bool]  # for each array, number and text of the arguments, whether it has a row for each one of the answer


def axes_like(known: Shapes, shapes: Shapes, by_row: ByRow) -> list[int] | None:
    """Return the lengths of the axes that a call has where a known one, which it is like in all else, has its rows.

    One is another number of rows, none a row without its axis, and several are rows along all of them, such as a batch and its times.
    """
    found = list[list[int]]()
    if [len(each) for each in known] != [len(each) for each in shapes]:
        return None
    for before, now, is_by_row in zip(itertools.chain(*known), itertools.chain(*shapes), by_row, strict=True):
        if not is_by_row:
            if before != now:
                return None
            continue
        front = len(now) - len(before) + 1 if isinstance(now, list) else -1
        if front < 0 or now[front:] != before[1:]:
            return None
        found.append(now[:front])
    return found[0] if found and found.count(found[0]) == len(found) and 0 not in found[0] else None


def count_in_front(known: Shapes, shapes: Shapes) -> int:
    """Return how long the axis is that a call has in front of what a known one is made with, such as a batch of one; else 0."""
    lengths = set()
    if [len(each) for each in known] != [len(each) for each in shapes]:
        return 0
    for before, now in zip(itertools.chain(*known), itertools.chain(*shapes), strict=True):
        if before != now:
            more = isinstance(before, list) and isinstance(now, list) and now[1:] == before
            lengths.add(now[0] if more else 0)
    return lengths.pop() if len(lengths) == 1 else 0


def without_front(given: Sequence[Any], known: Shapes, place: int) -> list[Any]:
    """Return a call's arguments at one place of the axis that they have in front of what a known call is made with."""
    before = itertools.chain(*known)

    def at_place(leaf: Any) -> Any:
        shape = next(before)
        return leaf[place] if hasattr(leaf, "shape") and list(leaf.shape) != shape else leaf

    return [map_leaves(at_place, each) for each in given]


def with_rows(given: Sequence[Any], known: Shapes, by_row: ByRow, count: int) -> list[Any]:
    """Return a call's arguments with so many rows along one axis where a known call has its rows; for 0 as they are."""
    before = zip(itertools.chain(*known), by_row, strict=True)

    def shaped(leaf: Any) -> Any:
        shape, is_by_row = next(before)
        return leaf.reshape([count, *shape[1:]]) if count and is_by_row else leaf

    return [map_leaves(shaped, each) for each in given]


def axis_left_out(known: Shapes, shapes: Shapes) -> int | None:
    """Return the axis of length one that a known call has and that every argument with it lacks in another, such as a single query's."""
    if [len(each) for each in known] != [len(each) for each in shapes]:
        return None
    pairs = list(zip(itertools.chain(*known), itertools.chain(*shapes), strict=True))
    for axis in range(1, max((len(before) for before, _ in pairs if isinstance(before, list)), default=0)):
        left = [_without(before, axis) for before, _ in pairs]
        if any(short is not None for short in left) and all(
            now == (before if short is None else short) for (before, now), short in zip(pairs, left, strict=True)
        ):
            return axis
    return None


def _without(shape: Any, axis: int) -> list[int] | None:
    """Return a shape without an axis of length one, or None where it has none there."""
    has_axis = isinstance(shape, list) and len(shape) > axis and shape[axis] == 1
    return [*shape[:axis], *shape[axis + 1 :]] if has_axis else None


def with_axis(given: Sequence[Any], known: Shapes) -> list[Any]:
    """Return a call's arguments in the shapes of a known call."""
    before = itertools.chain(*known)

    def shaped(leaf: Any) -> Any:
        shape = next(before)
        return leaf.reshape(shape) if hasattr(leaf, "shape") else leaf

    return [map_leaves(shaped, each) for each in given]


def without_axis(leaf: Any, axis: int) -> Any:
    """Return a part of an answer without an axis of length one, if it has one there."""
    short = _without(list(getattr(leaf, "shape", ())), axis)
    return leaf if short is None else leaf.reshape(short)
