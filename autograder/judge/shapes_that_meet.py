"""Say in one sentence how the shapes of two arrays fail to meet, and what to look at."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from autograder.course.language import marked, say, say_many
from autograder.judge.axis_names import AxisNames
from autograder.sandbox.job import Part

Shape = tuple[int, ...]
_REDUCTION = re.compile(r"\b(max|min|amax|amin|sum|mean|std|var|prod|norm|logsumexp|argmax)\([^()]*\)$")
_NUMBERS = re.compile(r"[(\[]([\d,\s]*)[)\]]")
# The axes that have to be equal in a product, by whether the right one is a matrix.
_UNLIKE = {
    True: marked(
        "{left} is multiplied by {right}: the last axis of the left one, {last}, has to equal the last but one of the right one, "
        "{other}. Is one of them to be transposed, or is their order wrong?"
    ),
    False: marked(
        "{left} is multiplied by {right}: the last axis of the left one, {last}, has to equal the only one of the right one, "
        "{other}. Is one of them to be transposed, or is their order wrong?"
    ),
}


def shapes_in(text: str) -> list[Shape]:
    """Return the shapes that an exception's text gives, as numpy and torch write them."""
    return [tuple(map(int, re.findall(r"\d+", found))) for found in _NUMBERS.findall(text)]


def shown(part: Part, names: AxisNames) -> str:
    """Return an expression with its shape, and with the names of its axes where they are known."""
    axes = names.of(part.text, part.shape)
    if axes:
        return say("`{text}` of shape {shape} = {axes}", text=part.text, shape=part.shape, axes=_tuple(axes))
    return say("`{text}` of shape {shape}", text=part.text, shape=part.shape)


def all_shown(parts: Iterable[Part], names: AxisNames) -> str:
    """Return expressions in a row, each with its shape."""
    return say(" and ").join(shown(part, names) for part in parts)


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
    if _are_pairs(small.shape, large.shape, names):
        told = marked(
            "{large} meets {small}: the last axes are {one} and {other}, and only equal ones or a one fit. One is half of the other: does "
            "`{name}` have an entry for each pair of features?"
        )
        half, whole = sorted((one, other), key=lambda part: part.shape[-1])
        texts = {"large": shown(whole, names), "small": shown(half, AxisNames())}  # what a half is as long as is chance
        return say(told, **texts, one=whole.shape[-1], other=half.shape[-1], name=half.text)
    met = {"small": shown(small, names), "large": shown(large, names)}
    reduction = _REDUCTION.search(small.text)
    if reduction and lost_axes(small.shape, large.shape) == 1:
        keep = "keepdim=True" if small.type_name == "tensor" else "keepdims=True"
        told = marked(
            "{small} meets {large}: `{reduction}` has dropped the axis it ran over; keep it with length one ({keep})."
        )
        return say(told, **met, reduction=reduction[1], keep=keep)
    return say("{small} meets {large}: {misfit}", **met, misfit=misfit(small.shape, large.shape))


def grown(one: Part, other: Part, names: AxisNames) -> str:
    """Say that a result is larger than the array that is to hold it, which is the first."""
    told = marked("{one} and {other} give an array of shape {shape}, which does not fit in place. Make a new one.")
    if len(other.shape) > len(one.shape):
        told = marked(
            "{other} is to go into {one}, which has fewer axes: is an index missing in what is put there, or is an axis of it still to be "
            "summed over, or joined with another?"
        )
    shape = np.broadcast_shapes(one.shape, other.shape)
    return say(told, one=shown(one, names), other=shown(other, names), shape=shape)


def unfilled(source: Shape, target: Shape) -> str:
    """Say, after a colon, how an array fails to fill a shape, which stays as it is; nothing where it does not."""
    if len(source) > len(target):
        return say_many(
            "it has {n} axis, and only {most} may be filled.",
            "it has {n} axes, and only {most} may be filled.",
            len(source),
            most=len(target),
        )
    if fits(source, target):
        pairs = zip(reversed(source), reversed(target), strict=False)
        unlike = next((pair for pair in pairs if pair[0] not in (1, pair[1])), None)
        told = marked("along one axis it has {had}, and there is room for {room}; none is left out.")
        return say(told, had=unlike[0], room=unlike[1]) if unlike else ""
    return misfit(source, target)


def misfit(small: Shape, large: Shape) -> str:
    """Say, after a colon, how a shape fails to broadcast to another."""
    lost = lost_axes(small, large)
    if lost == 1:
        told = marked(
            "shapes are lined up from the right, so the first one lacks an axis. Give it one of length one where the other has "
            "more, with `None` in an index; after a sum, a mean or a maximum, keepdims keeps it."
        )
        return say(told)
    if lost:
        told = marked(
            "shapes are lined up from the right, so the first one lacks {n} axes. Give it axes of length one where the other "
            "has more, with a `None` for each in an index."
        )
        return say(told, n=lost)
    return _first_difference(small, large)


def _are_pairs(one: Shape, other: Shape, names: AxisNames) -> bool:
    """Whether one of two shapes ends in features and the other in half as many, and no single axis of length one helps."""
    half, whole = sorted((one[-1:] or (0,)) + (other[-1:] or (0,)))
    features, halves = (names.sizes.get(size, "").startswith("d_") for size in (whole, half))
    return 1 < half == whole / 2 and features and not halves and lost_axes(*sorted((one, other), key=len)) != 1


def _first_difference(one: Shape, other: Shape) -> str:
    """Say which axes differ where shapes are lined up from the right, as broadcasting does."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    place, (mine, theirs) = next(
        ((i, pair) for i, pair in enumerate(pairs) if 1 not in pair and pair[0] != pair[1]), (0, (0, 0))
    )
    last = marked("the last axes are {one} and {other}, and only equal ones or a one fit.")
    another = marked("lined up from the right, {one} meets {other}, and only equal ones or a one fit.")
    return say(another if place else last, one=mine, other=theirs)


def product(left: Part, right: Part, names: AxisNames) -> str:
    """Say why two arrays cannot be multiplied as matrices."""
    met = {"left": shown(left, names), "right": shown(right, names)}
    for part in (left, right):
        if part.text.endswith(".T") and len(part.shape) > 2:
            told = marked(
                "{left} is multiplied by {right}: `.T` reverses all axes of `{name}`; only its last two may change places."
            )
            return say(told, **met, name=part.text[:-2])
    if not left.shape or not right.shape:
        return say("{left} is multiplied by {right}: one of them has no axes.", **met)
    last, other = left.shape[-1], right.shape[-2 if len(right.shape) > 1 else -1]
    if last == other:
        return say("{left} is multiplied by {right}: the axes in front of the last two do not fit.", **met)
    return say(_UNLIKE[len(right.shape) > 1], **met, last=last, other=other)


def joined(parts: Sequence[Part], names: AxisNames, *, stacked: bool = False) -> str:
    """Say why arrays cannot be joined."""
    listed = all_shown(parts[:3], names)
    if len({len(part.shape) for part in parts}) > 1:
        told = marked(
            "{listed} are joined, but do not have equally many axes. Give the one with fewer an axis of length one, or take "
            "one away."
        )
        return say(told, listed=listed)
    if stacked:
        return say("{listed} are stacked: all their axes must be equal.", listed=listed)
    told = marked(
        "{listed} are joined: all axes must be equal but the one along which they are joined. Make the others equal before, or join "
        "along another axis."
    )
    return say(told, listed=listed)


def reshaped(size: int, wanted: Shape, part: Part | None, names: AxisNames) -> str:
    """Say why an array cannot be reshaped."""
    count = math.prod(wanted)
    if part:
        return say_many(
            "{what} has {n} entry, and {wanted} needs {count}: a reshape keeps their number. Which size is another one?",
            "{what} has {n} entries, and {wanted} needs {count}: a reshape keeps their number. Which size is another one?",
            size,
            what=shown(part, names),
            wanted=wanted,
            count=count,
        )
    return say_many(
        "There is {n} entry, and {wanted} needs {count}: a reshape keeps their number. Which size is another one?",
        "There are {n} entries, and {wanted} needs {count}: a reshape keeps their number. Which size is another one?",
        size,
        wanted=wanted,
        count=count,
    )
