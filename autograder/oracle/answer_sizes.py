"""How large what a student's code gives may be for the reference to go on with it, in the grader's own process."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.sandbox.child.tree import array_of, as_arrays, leaves

MAX_GROWTH = 4  # times the size of the reference's answer; larger ones could exhaust the memory here
Size = tuple[int, int]  # the number of entries of an answer, and its largest whole number
_ROOM, _COUNT = 4096, 64  # a number of entries, and a largest whole number, that are always allowed


def fits(mine: Size, right: Size) -> bool:
    """Whether a size is small enough for the reference to go on with, beside one that is known to be."""
    limits = zip(mine, right, (_ROOM, _COUNT), strict=True)
    return all(mine <= max(MAX_GROWTH * theirs, room) for mine, theirs, room in limits)


def size_of(value: Any) -> Size:
    """Return how large a tree is, and the largest count in it."""
    return _entries(value), _count(value)


def _count(tree: Any) -> int:
    """Return the largest absolute whole number in an answer; the reference may use it as a count."""
    arrays = [np.asarray(as_arrays(leaf)) for leaf in leaves(tree)]
    whole = (array for array in arrays if array.dtype.kind in "iu" and array.size)
    return max((max(abs(int(array.min())), abs(int(array.max()))) for array in whole), default=0)


def _entries(tree: Any) -> int:
    return sum(1 if (array := array_of(leaf)) is None else int(array.size) for leaf in leaves(tree))
