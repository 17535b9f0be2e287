"""Say what is seen of an exception in a public case: which shapes, names, types and values met there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.axis_names import AxisNames
from autograder.judge.calls_as_text import Signatures
from autograder.judge.shapes_that_meet import broadcast, joined, misfit, product, reshaped, shapes_in, shown
from autograder.sandbox.job import Part, Source, Trouble

MAX_KEYS = 12
_OF_TENSORS = frozenset(
    {"unsqueeze", "permute", "expand", "masked_fill", "detach", "cpu", "dim", "numel", "mT", "tril"}
)


@dataclass(frozen=True)
class Crash:
    """An exception in a public case, with what is known of the call."""

    trouble: Trouble
    names: AxisNames = field(default_factory=AxisNames)
    parameters: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)  # the call's arguments
    source: Source = field(default_factory=lambda: Source("", ()))
    signatures: Signatures = field(default_factory=dict)

    @property
    def arrays(self) -> list[Part]:
        """The arrays that met."""
        return [part for part in self.trouble.parts if part.is_array]

    @property
    def first(self) -> Part | None:
        """The first thing that met, of which most is asked."""
        return next(iter(self.trouble.parts), None)

    def of_type(self, *types: str) -> Part | None:
        """Return the first thing that met of these types."""
        return next((part for part in self.trouble.parts if part.type_name in types), None)

    @property
    def calls(self) -> str:
        """What the raising expression calls."""
        return self.trouble.frames[-1].calls if self.trouble.frames else ""


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
    return broadcast(arrays[0], arrays[1], crash.names) if len(arrays) == 2 else ""


def two_matrices(crash: Crash, _: re.Match[str]) -> str:
    """Say why two arrays cannot be multiplied."""
    arrays = crash.arrays
    return product(arrays[0], arrays[1], crash.names) if len(arrays) == 2 else ""


def joined_arrays(crash: Crash, _: re.Match[str]) -> str:
    """Say why arrays cannot be joined."""
    return joined(crash.arrays, crash.names) if len(crash.arrays) > 1 else ""


def filled_place(crash: Crash, match: re.Match[str]) -> str:
    """Say why an array does not become the shape that is asked for."""
    source, target = (shapes_in(f"({match[key] or match[key + '2']})")[0] for key in ("source", "target"))
    what = crash.first.text if crash.first else "what is assigned"
    handed = crash.trouble.frames[-2].calls if len(crash.trouble.frames) > 1 else ""
    where = (
        f", handed to `{handed}`," if handed.startswith("self.") else ""
    )  # a part that the constructor gives raised it
    return f"`{what}` of shape {source}{where} is to become {target}: {misfit(source, target)}"


def new_shape(crash: Crash, match: re.Match[str]) -> str:
    """Say how many entries a reshape has, and how many it needs."""
    wanted = shapes_in(f"({match['wanted']})")[0] if "-" not in match["wanted"] else ()
    return reshaped(int(match["size"]), wanted, next(iter(crash.arrays), None), crash.names) if wanted else ""


def index_beyond(crash: Crash, match: re.Match[str]) -> str:
    """Say how many entries an axis has."""
    at, axis, size = (int(match[name]) for name in ("at", "axis", "size"))
    part = next(iter(crash.arrays), None)
    axes = crash.names.of(part.text, part.shape) if part else ()
    where = f"Axis {axis}" + (f" ({axes[axis]})" if axis < len(axes) else "") + (f" of `{part.text}`" if part else "")
    return f"{where} has {size} entries, counted from 0 to {size - 1}; index {at} is not among them."


def unpacked_values(crash: Crash, match: re.Match[str]) -> str:
    """Say how many values stand on the right, and which, where the text names them."""
    part, count = crash.first, match["names"]
    if part is None:
        return ""
    if part.text.endswith(".shape"):
        axes = crash.names.arguments.get(part.text.removesuffix(".shape"), ())
        named = f": {', '.join(axes)}" if part.shape and len(axes) == part.shape[0] and "..." not in axes else ""
        return (
            f"`{part.text.removesuffix('.shape')}` has {part.shape[0]} axes{named}; the left side has {count} names."
            if part.shape
            else ""
        )
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


def none_here(crash: Crash, _: re.Match[str]) -> str:
    """Say what is None: an argument for which the text allows it, or what a function gives."""
    part = crash.of_type("None")
    if part and part.text in crash.parameters and crash.given.get(part.text) is None:
        return f"This call gives None for `{part.text}`, which the text allows. Treat that case first: `if {part.text} is None`."
    if part:
        return f"`{part.text}` is None here. A function that ends without `return` gives None; so does a method that works in place."
    own = (name for unknown in crash.trouble.parts if (name := unknown.text.partition("(")[0]) in crash.source.names())
    called = next(own, "")
    return f"A value is None here. Does your `{called}` end without a `return`?" if called else ""


def undefined_name(crash: Crash, match: re.Match[str]) -> str:
    """Say which name is likely to be meant."""
    name = match["name"]
    if crash.source.holds(f"self.{name}"):
        return f"There is no variable `{name}` here. What belongs to the object is reached as `self.{name}`."
    known = {*crash.given, *crash.source.names(), "np", "torch"}
    near = difflib.get_close_matches(name, sorted(known), 1)
    hint = f" Is it `{near[0]}`?" if near else " Was it renamed, or misspelt, or is an import missing?"
    return f"There is no variable named `{name}` here.{hint}"


def no_attribute(crash: Crash, match: re.Match[str]) -> str:
    """Say what something is that has no such attribute."""
    owner, name = match["owner"], match["name"]
    what = f"`{crash.first.text}`" if crash.first else f"A {owner}"
    if owner in ("list", "tuple", "dict"):
        return (
            f"{what} is a {owner}, which has no `{name}`. Make one array of it first, or take the part that you mean."
        )
    if owner == "function":
        return f"{what} is a function and has no `{name}`: call it, `{crash.first.text if crash.first else 'f'}(...)`."
    if owner in ("int", "float", "bool", "str"):
        return f"{what} is a single {owner}, which has no `{name}`."
    if owner in ("Tensor", "numpy.ndarray", "ndarray"):
        near = difflib.get_close_matches(name, dir(np.ndarray), 1)
        if near and near[0] != name and name not in _OF_TENSORS:
            return f"{what} has no `{name}`. Is it `{near[0]}`?"
        other = "numpy" if owner == "Tensor" else "torch"
        return f"{what} is a {'torch tensor' if owner == 'Tensor' else 'numpy array'}, which has no `{name}`. Is that {other}'s name for it?"
    made = {
        found
        for chunk in crash.source.chunks
        for found in re.findall(r"\bself\.(\w+)\s*(?::[^=\n]+)?=[^=]", chunk.text)
    }
    near = difflib.get_close_matches(name, sorted(made - {name}), 1)
    hint = f" There is `{near[0]}`." if near else " Is it made in `__init__`?"
    return f"`{owner}` has no `{name}`: nothing of that name was made in its constructor.{hint}"


def parameter_names(crash: Crash, _: re.Match[str]) -> str:
    """Name the parameters that the given constructor makes."""
    found = re.findall(r'Unexpected key\(s\) in state_dict: ((?:"[\w.]+"(?:, )?)+)', crash.trouble.text)
    names = [name for each in found for name in re.findall(r'"([\w.]+)"', each)][:MAX_KEYS]
    keep = f": keep {', '.join(f'`{name}`' for name in names)}" if names else ""
    return f"The constructor is given, and a case loads its parameters by their names{keep}. What you add must not hold any parameters."


def no_key(crash: Crash, match: re.Match[str]) -> str:
    """Name the keys of a dict."""
    part = crash.of_type("dict")
    if match["key"].startswith(("tensor(", "array(")):
        return f"A {'tensor' if match['key'].startswith('tensor') else 'array'} is not found among the keys of a dict, even if it holds the same number: make an int of it first."
    keys = crash.given.get(part.text) if part else None
    if part and isinstance(keys, Mapping):
        listed = ", ".join(repr(key) for key in list(keys)[:MAX_KEYS])
        return f"There is no {match['key']} in `{part.text}`; its keys are {listed}."
    return ""


def place_in_list(crash: Crash, match: re.Match[str]) -> str:
    """Say what stands where a list or tuple takes a place."""
    part, by = crash.of_type("tuple", "list"), match["by"]
    what = f"`{part.text}` is a {part.type_name}" if part else f"A {match['kind']}"
    if by == "float":
        return f"{what}, and its index is a float. `/` always gives one; `//` divides whole numbers."
    if by == "str":
        return f"{what} and no dict: its entries are reached by their place, counted from 0, not by a name."
    return f"{what}, which takes one whole number as its index. An index with several axes needs an array."


def wrong_call(crash: Crash, match: re.Match[str]) -> str:
    """Name the parameters of what is called."""
    name = match["function"]
    if name.endswith("__init__"):
        return "The constructor is given, and a case calls it with its own arguments: keep its parameters as they are."
    parameters = crash.signatures.get(name)
    listed = f": {name}({', '.join(parameters)})" if parameters is not None else ""
    if not crash.trouble.frames:
        return (
            f"The case calls your `{name}` with the parameters of the stub{listed}. Keep their names, order and number."
        )
    return f"Your code calls `{name}` with other arguments than it has{listed}."


def not_bool(crash: Crash, _: re.Match[str]) -> str:
    """Say what holds numbers instead of truth values."""
    part = crash.of_type("array", "tensor", "float")
    what = f"`{part.text}` holds {part.dtype or 'a float'}" if part else "The mask holds numbers"
    return f"{what}. A mask holds truth values: compare, or make it with dtype bool, before it is negated or handed on."


def several_numbers(crash: Crash, _: re.Match[str]) -> str:
    """Say what holds several numbers where one is wanted."""
    part = next(iter(crash.arrays), None)
    what = shown(part, crash.names) if part else "This array"
    return f"{what} holds several numbers where Python wants one. Take one entry, or index with an array of positions instead of a slice."


def classes_elsewhere(crash: Crash, _: re.Match[str]) -> str:
    """Say what meets in a cross-entropy."""
    if len(crash.arrays) < 2:
        return ""
    logits, targets = crash.arrays[:2]
    return (
        f"{shown(logits, crash.names)} and {shown(targets, crash.names)} meet in a cross-entropy that wants the classes "
        "on axis 1. Move them there, or flatten all other axes into one."
    )


def float_here(crash: Crash, _: re.Match[str]) -> str:
    """Say what is a float."""
    part = crash.of_type("float")
    return f"`{part.text}` is a float. `/` always gives one; `//` divides whole numbers." if part else ""


def index_arrays(crash: Crash, _: re.Match[str]) -> str:
    """Say which arrays of an index do not broadcast."""
    if len(crash.arrays) < 3:
        return ""
    indices = " and ".join(shown(part, crash.names) for part in crash.arrays[1:])
    return (
        f"The index of `{crash.arrays[0].text}` is made of {indices}, which do not broadcast with each other. Give one of them an "
        "axis of length one, so that every pair is meant."
    )


def index_axes(crash: Crash, _: re.Match[str]) -> str:
    """Say which array of indices has another number of axes than what it picks from."""
    if len(crash.arrays) < 2:
        return ""
    what = " and ".join(shown(part, crash.names) for part in crash.arrays[-2:])
    return f"{what} meet. An array of indices needs as many axes as the array that it picks from: give it one of length one."


def other_axes(crash: Crash, _: re.Match[str]) -> str:
    """Say how many axes an array has."""
    part = next(iter(crash.arrays), None)
    if part is None:
        return ""
    count = {0: "no axes", 1: "one axis"}.get(len(part.shape), f"{len(part.shape)} axes")
    return (
        f"{shown(part, crash.names)} has {count}, and another number is asked for. Has an axis been lost, or kept? Count from "
        "the end (-1, -2) where other axes may stand in front."
    )


def floats_as_ids(crash: Crash, _: re.Match[str]) -> str:
    """Say which index holds floats."""
    part = next((part for part in crash.arrays if part.dtype.startswith(("float", "complex"))), None)
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


def divided_by(crash: Crash, _: re.Match[str]) -> str:
    """Say which argument is zero."""
    zero = next((part.text for part in crash.trouble.parts[1:] if _is_zero(crash.given.get(part.text))), "")
    return f"`{zero}` is 0 in this call, and is divided by. What does the text say for that case?" if zero else ""


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float) and value == 0


def unusable(crash: Crash, _: re.Match[str]) -> str:
    """Say what type something has that cannot be called, looped over or indexed."""
    part = crash.first
    known = part is not None and part.type_name not in ("unknown", "object")
    return f"`{part.text}` is of type {part.type_name}, which cannot be used like this." if part and known else ""
