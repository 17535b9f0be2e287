"""Say which shapes, axes and dtypes met in an exception of a public case."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable

from autograder.judge.crash_details import Crash
from autograder.judge.shapes_that_meet import (
    broadcast,
    fits,
    grown,
    joined,
    product,
    reshaped,
    shapes_in,
    shown,
    unfilled,
)
from autograder.sandbox.job import Part


def two_shapes(crash: Crash, _: re.Match[str]) -> str:
    """Say which two of the arrays that met do not broadcast."""
    arrays = crash.arrays
    if crash.calls.endswith("scaled_dot_product_attention") and len(arrays) == 4:
        query, key, _value, mask = arrays
        scores = Part("the scores", "tensor", (*query.shape[:-1], *key.shape[-2:-1]))
        return broadcast(mask, scores, crash.names)
    if len(arrays) == 1 and len(shapes := shapes_in(crash.trouble.text)) > 1 and shapes[0] == arrays[0].shape:
        return broadcast(arrays[0], Part("the shape that is asked for", "array", shapes[-1]), crash.names)
    sizes = re.search(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", crash.trouble.text)
    if len(arrays) == 1 and sizes:
        return f"{shown(arrays[0], crash.names)} does not fit what it meets: at one axis the sizes are {sizes[1]} and {sizes[2]}. Take as much of one as the other has, or give it an axis of length one."
    if len(arrays) != 2 or fits(arrays[0].shape, arrays[1].shape):
        return grown(arrays[0], arrays[1], crash.names) if len(arrays) == 2 and "output" in crash.trouble.text else ""
    return broadcast(arrays[0], arrays[1], crash.names)


def two_matrices(crash: Crash, _: re.Match[str]) -> str:
    """Say why two arrays cannot be multiplied."""
    arrays = crash.arrays
    return product(arrays[0], arrays[1], crash.names) if len(arrays) == 2 else ""


def joined_arrays(crash: Crash, _: re.Match[str]) -> str:
    """Say why arrays cannot be joined."""
    return joined(crash.arrays, crash.names, stacked=crash.calls.endswith("stack")) if len(crash.arrays) > 1 else ""


def filled_place(crash: Crash, match: re.Match[str]) -> str:
    """Say why an array does not become the shape that is asked for."""
    source, target = (shapes_in(f"({match[key] or match[key + '2']})")[0] for key in ("source", "target"))
    what = f"`{crash.first.text}`" if crash.first and crash.first.shape == source else "An array"
    handed = crash.trouble.frames[-2].calls if len(crash.trouble.frames) > 1 else ""
    where = (
        f", handed to `{handed}`," if handed.startswith("self.") else ""
    )  # a part that the constructor gives raised it
    return f"{what} of shape {source}{where} is to become {target}: {unfilled(source, target)}"


def new_shape(crash: Crash, match: re.Match[str]) -> str:
    """Say how many entries a reshape has, and how many it needs."""
    wanted = shapes_in(f"({match['wanted']})")[0] if "-" not in match["wanted"] else ()
    size = int(match["size"])
    part = next((part for part in crash.arrays if math.prod(part.shape) == size), None)
    return reshaped(size, wanted, part, crash.names) if wanted else ""


def index_beyond(crash: Crash, match: re.Match[str]) -> str:
    """Say how many entries an axis has."""
    at, axis, size = (int(match[name]) for name in ("at", "axis", "size"))
    part = next((part for part in crash.arrays if part.shape[axis : axis + 1] == (size,)), None)
    axes = crash.names.of(part.text, part.shape) if part else ()
    where = f"Axis {axis}" + (f" ({axes[axis]})" if axis < len(axes) else "") + (f" of `{part.text}`" if part else "")
    if not size:
        return f"{where} has no entries, so there is none to pick."
    return f"{where} has {size} {'entries' if size > 1 else 'entry'}, counted from 0 to {size - 1}; index {at} is not among them."


def unpacked_values(crash: Crash, match: re.Match[str]) -> str:
    """Say how many values stand on the right, and which, where the text names them."""
    part, count = crash.first, match["names"]
    if part is None:
        return ""
    if part.text.endswith(".shape"):
        return _shape_apart(crash, int(count))
    if part.type_name in ("tuple", "list") and part.shape:
        entries = crash.names.arguments.get(part.text, ())
        named = f": {', '.join(entries)}" if len(entries) == part.shape[0] else ""
        return (
            f"`{part.text}` holds {part.shape[0]} values{named}. The left side has {count} names; give each value one."
        )
    if part.is_array and part.shape:
        return (
            f"Taking {shown(part, crash.names)} apart gives {part.shape[0]} rows, and the left side has {count} names."
        )
    return f"`{part.text}` gives another number of values than the {count} names on the left. Look at what it returns."


def several_numbers(crash: Crash, _: re.Match[str]) -> str:
    """Say what holds several numbers where one is wanted."""
    part = next((part for part in crash.arrays if math.prod(part.shape) > 1), None)
    what = shown(part, crash.names) if part else "This array"
    return f"{what} holds several numbers where Python wants one. Take one entry, or index with an array of positions instead of a slice."


def classes_elsewhere(crash: Crash, _: re.Match[str]) -> str:
    """Say what meets in a cross-entropy."""
    if len(crash.arrays) < 2:
        return ""
    logits, targets = crash.arrays[:2]
    return (
        f"{shown(logits, crash.names)} and {shown(targets, crash.names)} meet. Cross-entropy takes the classes on axis 1 of the "
        "first, and one target for each of the other places. Move the classes there, or flatten all other axes into one."
    )


def index_arrays(crash: Crash, _: re.Match[str]) -> str:
    """Say which arrays of an index do not broadcast."""
    if len(crash.arrays) < 3:
        return ""
    arrays = crash.arrays[1:]
    indices = " and ".join(shown(part, crash.names) for part in arrays)
    met = _unlike_axis(part.shape for part in arrays)
    if met is None:
        return ""
    axis, fewer, more = met
    lists = [part.shape[0] for part in arrays if len(part.shape) == 1]
    in_pairs = len({length for length in lists if length != 1}) > 1
    one_by_one = not in_pairs or len(lists) == len(arrays)
    cut = f"Where they belong together one by one, take {fewer} of each." * one_by_one
    pairs = "Where every pair is meant, give one of them an axis of length one." * in_pairs
    return (
        f"The index of `{crash.arrays[0].text}` is made of {indices}, which do not broadcast with each other: at axis {axis}, {fewer} "
        f"positions meet {more}. {' '.join(filter(None, (cut, pairs)))}"
    )


def _unlike_axis(shapes: Iterable[tuple[int, ...]]) -> tuple[int, int, int] | None:
    """Return the last axis, counted from the end, at which shapes do not broadcast, and two of its lengths; None if they do."""
    for i, sizes in enumerate(itertools.zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1), start=1):
        unlike = sorted({size for size in sizes if size != 1})
        if len(unlike) > 1:
            return -i, unlike[0], unlike[1]
    return None


def index_axes(crash: Crash, _: re.Match[str]) -> str:
    """Say which array of indices has another number of axes than what it picks from."""
    if len(crash.arrays) < 2:
        return ""
    what = " and ".join(shown(part, crash.names) for part in crash.arrays[-2:])
    return f"{what} meet. An array of indices needs as many axes as the array that it picks from: give it one of length one."


def other_axes(crash: Crash, _: re.Match[str]) -> str:
    """Say how many axes an array has."""
    part = next(iter(crash.arrays), None)
    told = re.search(r"array of dimension (\d+)|range of \[-(\d+)", crash.trouble.text)
    if part is None or (told and len(part.shape) != int(told[1] or told[2])):
        return ""
    count = {0: "no axes", 1: "one axis"}.get(len(part.shape), f"{len(part.shape)} axes")
    return (
        f"{shown(part, crash.names)} has {count}, but your code asks for another number of axes. Has an axis been lost, or kept? Count from "
        "the end (-1, -2) where other axes may stand in front."
    )


def floats_as_ids(crash: Crash, _: re.Match[str]) -> str:
    """Say which index holds floats."""
    alone = len(crash.arrays) == 1 and crash.calls != "[]"
    indices = crash.arrays if alone or "embedding" in crash.calls.lower() else crash.arrays[1:]
    part = next((part for part in indices if part.dtype.startswith(("float", "complex"))), None)
    return (
        f"`{part.text}` holds {part.dtype}, and an index takes whole numbers only (int64, torch's long)."
        if part
        else ""
    )


def two_dtypes(crash: Crash, _: re.Match[str]) -> str:
    """Say which dtypes meet."""
    if len({part.dtype for part in crash.arrays}) < 2:
        return ""
    what = " and ".join(f"`{part.text}` ({part.dtype})" for part in crash.arrays[:3])
    return f"{what} meet, and their dtypes do not go together. Give what you make yourself the dtype of what it meets."


def _shape_apart(crash: Crash, count: int) -> str:
    """Say how many axes an array has whose shape is taken apart, and into how many names."""
    part = next(iter(crash.arrays), None)
    if part is None:
        return ""
    has = {0: "no axes", 1: "one axis"}.get(len(part.shape), f"{len(part.shape)} axes")
    axes = crash.names.of(part.text, part.shape)
    named = f" = ({', '.join(axes)})" if len(axes) == len(part.shape) > 1 else ""
    frame = crash.trouble.frames[-1] if crash.trouble.frames else None
    left = (crash.source.line(frame.label, frame.line) if frame else "").partition("=")[0].strip(" ()").rstrip(",")
    names = [f"`{name.strip()}`" for name in left.split(",")]
    listed = (
        f", {', '.join(names[:-1])} and {names[-1]}"
        if len(names) == count > 1 and all(n[1:-1].isidentifier() for n in names)
        else ""
    )
    into = {1: "one name", 2: "two names", 3: "three names"}.get(count, f"{count} names")
    inside = f"Inside `{frame.function}`, " if frame and len(crash.trouble.frames) > 1 else ""
    return f"{inside}`{part.text}` has {has}, shape {part.shape}{named}, and is taken apart into {into}{listed}."
