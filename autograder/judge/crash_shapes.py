"""Say which shapes, axes and dtypes met in an exception of a public case."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable

from autograder.course.language import marked, say, say_many
from autograder.judge.crash_details import Crash
from autograder.judge.shapes_that_meet import (
    all_shown,
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

_FEW_AXES = marked({0: "no axes", 1: "one axis"})
_FEW_NAMES = marked({1: "one name", 2: "two names", 3: "three names"})


def two_shapes(crash: Crash, _: re.Match[str]) -> str:
    """Say which two of the arrays that met do not broadcast."""
    arrays = crash.arrays
    if crash.calls.endswith("scaled_dot_product_attention") and len(arrays) == 4:
        query, key, _value, mask = arrays
        scores = Part(say("the scores"), "tensor", (*query.shape[:-1], *key.shape[-2:-1]))
        return _mask_of_scores(mask, scores, crash)
    if len(arrays) == 1 and len(shapes := shapes_in(crash.trouble.text)) > 1 and shapes[0] == arrays[0].shape:
        return broadcast(arrays[0], Part(say("the shape that is asked for"), "array", shapes[-1]), crash.names)
    sizes = re.search(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", crash.trouble.text)
    if len(arrays) == 1 and sizes:
        told = marked(
            "{what} does not fit what it meets: at one axis the sizes are {one} and {other}. Take as much of one as the other "
            "has, or give it an axis of length one."
        )
        return say(told, what=shown(arrays[0], crash.names), one=sizes[1], other=sizes[2])
    if len(arrays) != 2 or fits(arrays[0].shape, arrays[1].shape):
        return grown(arrays[0], arrays[1], crash.names) if len(arrays) == 2 and "output" in crash.trouble.text else ""
    return broadcast(arrays[0], arrays[1], crash.names)


def _mask_of_scores(mask: Part, scores: Part, crash: Crash) -> str:
    """Say why a mask does not fit the scores that query and key give."""
    told = broadcast(mask, scores, crash.names)
    if fits(mask.shape, scores.shape):
        larger = marked("{mask} is larger than {scores}: a mask is spread over the scores, and not they over it.")
        told = say(larger, mask=shown(mask, crash.names), scores=shown(scores, crash.names))
    where = say("Scores are (..., queries, keys): do query and key end in time and features, the heads before?")
    return f"{told} {where}"


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
    what = f"`{crash.first.text}`" if crash.first and crash.first.shape == source else say("An array")
    if not (why := unfilled(source, target)):
        return ""
    given = {"what": what, "source": source, "target": target, "why": why}
    handed = crash.trouble.frames[-2].calls if len(crash.trouble.frames) > 1 else ""
    if handed.startswith("self."):  # a part that the constructor gives raised it
        told = marked("{what} of shape {source}, handed to `{handed}`, is to become {target}: {why}")
        return say(told, **given, handed=handed)
    return say("{what} of shape {source} is to become {target}: {why}", **given)


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
    where = _axis_of(axis, part, crash)
    if not size:
        return say("{where} has no entries, so there is none to pick.", where=where)
    told = say_many(
        "{where} has {n} entry, counted from 0 to {last}; index {at} is not among them.",
        "{where} has {n} entries, counted from 0 to {last}; index {at} is not among them.",
        size,
        where=where,
        last=size - 1,
        at=at,
    )
    if part is None or not any(later > at for later in part.shape[axis + 1 :]):
        return told
    asked = marked(
        "`{text}` has {axes}, and indices are for the first of them, in order: is axis {axis} the one that is meant?"
    )
    return f"{told} {say(asked, text=part.text, axes=_axes(len(part.shape)), axis=axis)}"


def _axis_of(axis: int, part: Part | None, crash: Crash) -> str:
    """Return an axis with its name, and with the array that it is of, as far as these are known."""
    axes = crash.names.of(part.text, part.shape) if part else ()
    if part is None:
        return say("Axis {axis}", axis=axis)
    if axis < len(axes) and axes[axis] != "1":
        return say("Axis {axis} ({name}) of `{text}`", axis=axis, name=axes[axis], text=part.text)
    return say("Axis {axis} of `{text}`", axis=axis, text=part.text)


def unpacked_values(crash: Crash, match: re.Match[str]) -> str:
    """Say how many values stand on the right, and which, where the text names them."""
    part, count = crash.first, int(match["names"])
    if part is None:
        return ""
    if part.text.endswith(".shape"):
        return _shape_apart(crash, count)
    if part.type_name in ("tuple", "list") and part.shape:
        return f"{_held(part, crash)} {_names_left(count)}"
    if part.is_array and part.shape:
        return say_many(
            "Taking {what} apart gives {n} row, and the left side has {names}.",
            "Taking {what} apart gives {n} rows, and the left side has {names}.",
            part.shape[0],
            what=shown(part, crash.names),
            names=say_many("{n} name", "{n} names", count),
        )
    return say_many(
        "`{text}` gives another number of values than the {n} name on the left. Look at what it returns.",
        "`{text}` gives another number of values than the {n} names on the left. Look at what it returns.",
        count,
        text=part.text,
    )


def _held(part: Part, crash: Crash) -> str:
    """Say how many values a tuple or list holds, and which, where the text names them."""
    entries = crash.names.arguments.get(part.text, ())
    if len(entries) == part.shape[0]:
        return say_many(
            "`{text}` holds {n} value: {entries}.",
            "`{text}` holds {n} values: {entries}.",
            part.shape[0],
            text=part.text,
            entries=", ".join(entries),
        )
    return say_many("`{text}` holds {n} value.", "`{text}` holds {n} values.", part.shape[0], text=part.text)


def _names_left(count: int) -> str:
    return say_many(
        "The left side has {n} name; give each value one.", "The left side has {n} names; give each value one.", count
    )


def several_truth_values(crash: Crash, _: re.Match[str]) -> str:
    """Say what is asked as a whole whether it is true."""
    part = next((part for part in crash.arrays if math.prod(part.shape) > 1), None)
    told = marked(
        "{what} holds several truth values where an `if`, `while`, `and` or `or` wants one. A mask or `where` chooses entry by entry; "
        "`.any()` and `.all()` make one of them."
    )
    return say(told, what=shown(part, crash.names) if part else say("This array"))


def compared_as_a_whole(crash: Crash, _: re.Match[str]) -> str:
    """Say what Python's own `min` or `max` is given that is no single number."""
    part = next((part for part in crash.arrays if math.prod(part.shape) > 1), None)
    told = marked(
        "{what} is an array, and Python's own `{called}` compares it as a whole. Should it be one number here: is an index missing? "
        "`{called}imum` of numpy and torch goes entry by entry."
    )
    return say(told, what=shown(part, crash.names), called=crash.calls) if part else ""


def several_numbers(crash: Crash, _: re.Match[str]) -> str:
    """Say what holds several numbers where one is wanted."""
    part = next((part for part in crash.arrays if math.prod(part.shape) > 1), None)
    what = shown(part, crash.names) if part else say("This array")
    told = marked(
        "{what} holds several numbers where Python wants one. Is that one for each row of a batch? Go on with all of them, or take one entry with all of "
        "its indices."
    )
    return say(told, what=what)


def classes_elsewhere(crash: Crash, _: re.Match[str]) -> str:
    """Say what meets in a cross-entropy."""
    if len(crash.arrays) < 2:
        return ""
    told = marked(
        "{logits} and {targets} meet. Cross-entropy takes the classes on axis 1 of the first, and one target for each of the "
        "other places. Move the classes there, or flatten all other axes into one."
    )
    logits, targets = crash.arrays[:2]
    return say(told, logits=shown(logits, crash.names), targets=shown(targets, crash.names))


def index_arrays(crash: Crash, _: re.Match[str]) -> str:
    """Say which arrays of an index do not broadcast."""
    if len(crash.arrays) < 3:
        return ""
    arrays = crash.arrays[1:]
    met = _unlike_axis(part.shape for part in arrays)
    if met is None:
        return ""
    axis, fewer, more = met
    told = marked(
        "The index of `{name}` is made of {indices}, which do not broadcast with each other: at axis {axis}, {fewer} positions "
        "meet {more}."
    )
    indices = all_shown(arrays, crash.names)
    said = [say(told, name=crash.arrays[0].text, indices=indices, axis=axis, fewer=fewer, more=more)]
    lists = [part.shape[0] for part in arrays if len(part.shape) == 1]
    in_pairs = len({length for length in lists if length != 1}) > 1
    if not in_pairs or len(lists) == len(arrays):
        said.append(say("Where they belong together one by one, take {n} of each.", n=fewer))
    if in_pairs:
        said.append(say("Where every pair is meant, give one of them an axis of length one."))
    return " ".join(said)


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
    told = marked(
        "{arrays} meet. An array of indices needs as many axes as the array that it picks from: give it one of length one."
    )
    return say(told, arrays=all_shown(crash.arrays[-2:], crash.names))


def other_axes(crash: Crash, _: re.Match[str]) -> str:
    """Say how many axes an array has."""
    part = next(iter(crash.arrays), None)
    told = re.search(r"array of dimension (\d+)|range of \[-(\d+)", crash.trouble.text)
    if part is None or (told and len(part.shape) != int(told[1] or told[2])):
        return ""
    said = marked(
        "{what} has {axes}, but your code asks for another number of axes. Has an axis been lost, or kept? Count from the end "
        "(-1, -2) where other axes may stand in front."
    )
    return say(said, what=shown(part, crash.names), axes=_axes(len(part.shape)))


def _axes(count: int) -> str:
    return say(_FEW_AXES[count]) if count in _FEW_AXES else say_many("{n} axis", "{n} axes", count)


def floats_as_ids(crash: Crash, _: re.Match[str]) -> str:
    """Say which index holds floats."""
    alone = len(crash.arrays) == 1 and crash.calls != "[]"
    indices = crash.arrays if alone or "embedding" in crash.calls.lower() else crash.arrays[1:]
    part = next((part for part in indices if part.dtype.startswith(("float", "complex"))), None)
    told = marked("`{name}` holds {dtype}, and an index takes whole numbers only (int64, torch's long).")
    return say(told, name=part.text, dtype=part.dtype) if part else ""


def two_dtypes(crash: Crash, _: re.Match[str]) -> str:
    """Say which dtypes meet."""
    if len({part.dtype for part in crash.arrays}) < 2:
        return ""
    told = marked(
        "{arrays} meet, and their dtypes do not go together. Give what you make yourself the dtype of what it meets."
    )
    return say(told, arrays=say(" and ").join(f"`{part.text}` ({part.dtype})" for part in crash.arrays[:3]))


def _shape_apart(crash: Crash, count: int) -> str:
    """Say how many axes an array has whose shape is taken apart, and into how many names."""
    part = next(iter(crash.arrays), None)
    if part is None:
        return ""
    axes = crash.names.of(part.text, part.shape)
    named = f" = ({', '.join(axes)})" if len(axes) == len(part.shape) > 1 else ""
    frame = crash.trouble.frames[-1] if crash.trouble.frames else None
    given = {"name": part.text, "axes": _axes(len(part.shape)), "shape": f"{part.shape}{named}"}
    given["names"] = _names_of(crash, count)
    if frame and len(crash.trouble.frames) > 1:
        told = marked("Inside `{function}`, `{name}` has {axes}, shape {shape}, and is taken apart into {names}.")
        return say(told, **given, function=frame.function)
    return say("`{name}` has {axes}, shape {shape}, and is taken apart into {names}.", **given)


def _names_of(crash: Crash, count: int) -> str:
    """Return how many names a shape is taken apart into, and which, as far as the line tells."""
    number = say(_FEW_NAMES[count]) if count in _FEW_NAMES else say_many("{n} name", "{n} names", count)
    frame = crash.trouble.frames[-1] if crash.trouble.frames else None
    left = (crash.source.line(frame.label, frame.line) if frame else "").partition("=")[0].strip(" ()").rstrip(",")
    names = [name.strip() for name in left.split(",")]
    if len(names) != count or count < 2 or not all(name.isidentifier() for name in names):
        return number
    *first, last = (f"`{name}`" for name in names)
    return say("{number}, {first} and {last}", number=number, first=", ".join(first), last=last)
