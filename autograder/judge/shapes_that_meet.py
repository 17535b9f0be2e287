"""Say in one sentence how the shapes of two arrays fail to meet, and what to look at."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

import numpy as np

from autograder.judge.axis_names import AxisNames
from autograder.sandbox.job import Part

Shape = tuple[int, ...]
_REDUCTION = re.compile(r"\b(max|min|amax|amin|sum|mean|std|var|prod|norm|logsumexp|argmax)\([^()]*\)$")
_NUMBERS = re.compile(r"[(\[]([\d,\s]*)[)\]]")
ORDINALS = ("first", "second", "third", "fourth", "fifth")


def shapes_in(text: str) -> list[Shape]:
    """Return the shapes that an exception's text gives, as numpy and torch write them."""
    return [tuple(map(int, re.findall(r"\d+", found))) for found in _NUMBERS.findall(text)]


def shown(part: Part, names: AxisNames) -> str:
    """Return an expression with its shape, and with the names of its axes where they are known."""
    axes = names.of(part.text, part.shape)
    return f"`{part.text}` of shape {part.shape}" + (f" = {_tuple(axes)}" if axes else "")


def _tuple(axes: Sequence[str]) -> str:
    return f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})"


def fits(one: Shape, other: Shape) -> bool:
    """Whether two shapes broadcast."""
    try:
        np.broadcast_shapes(one, other)
    except (OverflowError, ValueError):
        return False
    return True


def lost_axes(small: Shape, large: Shape) -> int:
    """Return how many axes of length one, somewhere in it, let a smaller shape grow to a larger one; none where no number does."""
    if len(small) >= len(large) or fits(small, large):
        return 0
    for count in range(1, len(large) - len(small) + 1):
        met = large[-len(small) - count :]
        for places in itertools.combinations(range(len(met)), len(small)):
            if all(size in (1, met[place]) for size, place in zip(small, places, strict=True)):
                return count
    return 0


def broadcast(one: Part, other: Part, names: AxisNames) -> str:
    """Say why two arrays do not broadcast."""
    small, large = sorted((one, other), key=lambda part: len(part.shape))
    meeting = f"{shown(small, names)} meets {shown(large, names)}"
    reduction = _REDUCTION.search(small.text)
    if reduction and lost_axes(small.shape, large.shape) == 1:
        word = "keepdim=True" if small.type_name == "tensor" else "keepdims=True"
        return f"{meeting}: `{reduction[1]}` has dropped the axis it ran over; keep it with length one ({word})."
    return f"{meeting}: {misfit(small.shape, large.shape)}"


def grown(one: Part, other: Part, names: AxisNames) -> str:
    """Say that a result is larger than the array that is to hold it."""
    result = np.broadcast_shapes(one.shape, other.shape)
    return f"{shown(one, names)} and {shown(other, names)} give an array of shape {result}, which does not fit in place. Make a new one."


def unfilled(source: Shape, target: Shape) -> str:
    """Say how an array fails to fill a shape, which stays as it is."""
    if len(source) > len(target):
        return f"it has {len(source)} axes, and only {len(target)} may be filled."
    if fits(source, target):
        return "an axis that is longer than one does not become shorter."
    return misfit(source, target)


def misfit(small: Shape, large: Shape) -> str:
    """Say how a shape fails to broadcast to another."""
    lost = lost_axes(small, large)
    if lost == 1:
        return (
            "shapes are lined up from the right, so the first one lacks an axis. Give it one of length one where the other has "
            "more, with `None` in an index; after a sum, a mean or a maximum, keepdims keeps it."
        )
    if lost:
        return (
            f"shapes are lined up from the right, so the first one lacks {lost} axes. Give it axes of length one where the other "
            "has more, with a `None` for each in an index."
        )
    return f"{first_difference(small, large)}."


def first_difference(one: Shape, other: Shape) -> str:
    """Say at which axis, counted from the right as broadcasting does, two shapes differ."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    place, sizes = next(
        ((i, pair) for i, pair in enumerate(pairs) if 1 not in pair and pair[0] != pair[1]), (0, (0, 0))
    )
    where = "the last axes" if not place else f"counted from the right, the {ORDINALS[min(place, 4)]} axes"
    return f"{where} are {sizes[0]} and {sizes[1]}, and only equal ones or a one fit"


def product(left: Part, right: Part, names: AxisNames) -> str:
    """Say why two arrays cannot be multiplied as matrices."""
    meeting = f"{shown(left, names)} is multiplied by {shown(right, names)}"
    for part in (left, right):
        if part.text.endswith(".T") and len(part.shape) > 2:
            return f"{meeting}: `.T` reverses all axes of `{part.text[:-2]}`; only its last two may change places."
    if not left.shape or not right.shape:
        return f"{meeting}: one of them has no axes."
    meets = (left.shape[-1], right.shape[-2 if len(right.shape) > 1 else -1])
    if meets[0] == meets[1]:
        return f"{meeting}: the axes in front of the last two do not fit."
    which = "the last but one" if len(right.shape) > 1 else "the only one"
    ends = f"the last axis of the left one, {meets[0]}, has to equal {which} of the right one, {meets[1]}"
    return f"{meeting}: {ends}. Is one of them to be transposed, or is their order wrong?"


def joined(parts: Sequence[Part], names: AxisNames, *, stacked: bool = False) -> str:
    """Say why arrays cannot be joined."""
    listed = " and ".join(shown(part, names) for part in parts[:3])
    if len({len(part.shape) for part in parts}) > 1:
        return f"{listed} are joined, but do not have equally many axes. Give the one with fewer an axis of length one, or take one away."
    if stacked:
        return f"{listed} are stacked: all their axes must be equal."
    return (
        f"{listed} are joined: all axes must be equal but the one along which they are joined. Is that the right axis?"
    )


def reshaped(size: int, wanted: Shape, part: Part | None, names: AxisNames) -> str:
    """Say why an array cannot be reshaped."""
    count = math.prod(wanted)
    what = shown(part, names) + f" has {size} entries" if part else f"There are {size} entries"
    return f"{what}, and {wanted} needs {count}: a reshape keeps their number. Which size is another one?"
