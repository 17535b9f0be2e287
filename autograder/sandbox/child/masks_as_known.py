"""Masks that hide the same in other words: none at all and one that hides nothing, one written out and one that is broadcast."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.sandbox.child.call_shapes import Shapes
from autograder.sandbox.child.tree import array_of, dtype_name


def masks_as_known(given: Sequence[Any], shapes: Shapes, every: Sequence[Shapes], masks: Sequence[int]) -> list[Any]:
    """Return a call's arguments with its masks as in a known call that has all others in the same shapes; else as they are.

    `shapes` are those of the call, `every` those of known ones, and `masks` the places of arguments that are masks.
    """
    unlike = [
        known
        for known in every
        if all(a == b or i in masks for i, (a, b) in enumerate(zip(shapes, known, strict=True)))
    ]
    for known in () if shapes in every else unlike:
        said = {i: _said(given[i], known[i], given) for i in masks if shapes[i] != known[i]}
        if all(said.values()):
            return [said[i][0] if i in said else part for i, part in enumerate(given)]
    return list(given)


def _said(mask: Any, known: Sequence[Any], given: Sequence[Any]) -> tuple[Any, ...]:
    """Return a mask as a known one is said, in a tuple; nothing where that would not hide the same."""
    if mask is not None and not (hasattr(mask, "shape") and dtype_name(mask).endswith("bool")):
        return ()
    array = np.ones((), bool) if mask is None else np.asarray(array_of(mask))
    if known == [""]:
        return (None,) if array.all() else ()
    if len(known) != 1 or not isinstance(known[0], list):
        return ()
    shape = known[0]
    array = array.reshape([1] * (len(shape) - array.ndim) + list(array.shape))
    for axis, length in enumerate(shape[::-1], 1):
        first = array.take([0], -axis)
        array = first if length == 1 and (array == first).all() else array
    try:
        array = np.broadcast_to(array.reshape(array.shape[array.ndim - len(shape) :]), shape)
    except ValueError:
        return ()
    tensor = next((part for part in given if hasattr(part, "detach")), None)
    return (array if tensor is None else tensor.new_tensor(array.copy(), dtype=sys.modules["torch"].bool),)
