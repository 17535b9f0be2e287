"""Compare a value with the expected one and describe the first difference in a sentence.

Comparison is strict about structure (container, shape, finiteness) and tolerant about float noise (`tolerance.py`).
A broadcastable wrong shape is wrong; NaN never passes unless expected.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograder.course.language import marked, say, say_many
from autograder.course.spec import Finding
from autograder.judge.tolerance import TOLERANCE, deviation, scale
from autograder.sandbox.child.tree import Opaque, Tensor, as_arrays

FEW = 2  # of what was expected, at least, to be found again in what came
MAX_SHOWN = 50  # characters of a text
_OPAQUE = marked({"array of ": "array of {what}", "tensor of ": "tensor of {what}", "very large int": "very large int"})
_TYPES = marked({"str": "string", "int": "whole number", "bool": "boolean"})


def identical(one: Any, other: Any) -> bool:
    """Whether two values are the same to the bit; False also where this cannot be told."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype) and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, Tensor):
        return identical(one.array, other.array)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(identical, one, other))
    if isinstance(one, dict):
        return bool(one.keys() == other.keys()) and all(identical(value, other[key]) for key, value in one.items())
    return isinstance(one, str | int | float | None) and bool(one == other)


def difference(got: Any, expected: Any, where: str = "", tolerance: float = TOLERANCE) -> Finding | None:
    """Return the first way in which a value differs from the expected one, or None.

    `where` is the path to the value inside what the call returned, for messages; arrays and numbers may deviate by
    `tolerance`.
    """
    if isinstance(expected, np.generic):
        expected = expected.item()
    if isinstance(expected, tuple | list):
        return _sequence_difference(got, expected, where, tolerance)
    if isinstance(expected, dict):
        return _dict_difference(got, expected, where, tolerance)
    if isinstance(expected, np.ndarray | Tensor):
        return _array_difference(got, expected, where, tolerance)
    if _is_number(expected):
        return _number_difference(got, expected, where, tolerance)
    if isinstance(expected, bool) and not isinstance(single := _single(got), np.ndarray):
        got = single
    if type(got) is type(expected) and got == expected:
        return None
    kind = "values" if type(got) is type(expected) else "container"
    if kind == "values" and isinstance(expected, str) and max(len(got), len(expected)) > MAX_SHOWN:
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(got, expected, strict=False))
        at = sum(1 for _ in same)
        got_there, wanted = _show(got[at:]), _show(expected[at:])
        text = say("From character {at} on it is {got}; {wanted} was expected.", at=at, got=got_there, wanted=wanted)
        return Finding(kind, text, where, got, expected)
    return Finding(kind, _instead(_show(got), _show(expected)), where, got, expected)


def alike(got: Any, expected: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether there is no difference. What differs is not put into words, which would take most of the time."""
    if isinstance(expected, np.ndarray | Tensor) and type(got) is type(expected):
        mine, theirs = np.asarray(as_arrays(got)), np.asarray(as_arrays(expected))
        if (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype):
            return deviation(mine, theirs) <= tolerance
    if isinstance(expected, tuple | list) and isinstance(got, tuple | list):
        return len(got) == len(expected) and all(alike(*pair, tolerance) for pair in zip(got, expected, strict=True))
    return difference(got, expected, tolerance=tolerance) is None


def _sequence_difference(
    got: Any, expected: tuple[Any, ...] | list[Any], where: str, tolerance: float
) -> Finding | None:
    wanted = say_many("a {kind} of {n} value", "a {kind} of {n} values", len(expected), kind=_kind(expected))
    if not isinstance(got, tuple | list):
        return Finding("container", _instead(_describe(got, where), wanted), where)
    if len(got) != len(expected):
        told = _instead(_describe(got, where), wanted)
        return Finding("length", " ".join(filter(None, [told, _where_right(got, expected)])), where, got, expected)
    pairs = enumerate(zip(got, expected, strict=True))
    finding = first_told(difference(mine, theirs, f"{where}[{index}]", tolerance) for index, (mine, theirs) in pairs)
    if finding and finding.kind == "container" and isinstance(got, list) and isinstance(expected, tuple):
        # A list may be one part alone, which is a list itself.
        return Finding("container", _instead(_describe(got, where), wanted), where)
    return finding


def _where_right(got: Sequence[Any], expected: Sequence[Any]) -> str:
    """Say where what was expected stands in a row of another length, or that it ends too early; nothing where neither is so."""
    if not all(isinstance(each, str | int) for each in (*got, *expected)) or len(expected) < FEW:
        return ""
    if got and list(got) == list(expected[: len(got)]):
        return say("It begins right and ends too early.")
    starts = range(len(got) - len(expected) + 1)
    before = next((at for at in starts if list(got[at : at + len(expected)]) == list(expected)), None)
    if before is None:
        return ""
    behind = len(got) - len(expected) - before
    if not before:
        return say("It begins right and goes on too long.")
    if not behind:
        return say("What was expected stands at its end, behind {n} more.", n=before)
    return say("What was expected stands in it, between {before} and {behind} more.", before=before, behind=behind)


def first_told(found: Iterable[Finding | None]) -> Finding | None:
    """Return the first of several differences, before values one of what holds them: with that, values cannot be right."""
    values = None
    for finding in filter(None, found):
        if finding.kind in ("container", "keys", "length"):
            return finding
        values = values or finding
    return values


def _dict_difference(got: Any, expected: dict[Any, Any], where: str, tolerance: float) -> Finding | None:
    if isinstance(got, Opaque) and got.type_name == "dict":
        return Finding("keys", say("Your dict has keys that are neither strings nor whole numbers."), where)
    if not isinstance(got, dict):
        return Finding("container", _instead(_describe(got, where), say("a dict")), where)
    missing = [key for key in expected if key not in got]
    extra = [key for key in got if key not in expected]
    if missing or extra:
        parts = [say("lacks {keys}", keys=_listed(missing))] * bool(missing)
        parts += [say("has {keys} too many", keys=_listed(extra))] * bool(extra)
        return Finding("keys", say("Your dict {parts}.", parts=say(" and ").join(parts)), where)
    return first_told(difference(got[key], value, f"{where}[{key!r}]", tolerance) for key, value in expected.items())


def _number_difference(got: Any, expected: float, where: str, tolerance: float) -> Finding | None:
    value = _single(got)
    if not _is_number(value):
        text = _instead(_describe(got, where), say("a single number"))
        array = as_arrays(got)
        if isinstance(array, np.ndarray) and array.dtype.kind in "fiu":  # what is still to be summed has right entries
            return Finding("shape", text, where, array, np.asarray(expected))
        return Finding("container", text, where)
    if deviation(np.asarray(value, np.float64), np.asarray(expected)) <= tolerance:
        return None
    digits = 6 if f"{value:.6g}" != f"{expected:.6g}" else 17
    form = "" if isinstance(value, int) and isinstance(expected, int) else f".{digits}g"
    text = _instead(f"{value:{form}}", f"{expected:{form}}")
    kind = "not_finite" if math.isfinite(expected) and not math.isfinite(value) else "values"
    return Finding(kind, text, where, value, expected)


def _single(value: Any) -> Any:
    """Return an array, tensor or numpy number without axes as a Python number, and any other value unchanged."""
    if isinstance(value, Tensor):
        value = value.array
    return value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value


def _array_difference(got: Any, expected: np.ndarray | Tensor, where: str, tolerance: float) -> Finding | None:
    if isinstance(expected, np.ndarray) and expected.ndim == 0 and isinstance(got, bool | int | float):
        got = np.asarray(got)
    if got is None and isinstance(expected, Tensor) and "grad" in where:
        text = say(
            "No gradient reaches it: your code does not use it, or leaves torch's graph on the way to the output."
        )
        return Finding("no_gradient", text, where)
    if isinstance(expected, Tensor) != isinstance(got, Tensor) or not isinstance(got, np.ndarray | np.generic | Tensor):
        return Finding("container", _instead(_describe(got, where), _describe(expected)), where)
    mine, theirs = np.asarray(as_arrays(got)), np.asarray(as_arrays(expected))
    if mine.shape != theirs.shape:
        text = say("The shape is {got}; {wanted} was expected.", got=mine.shape, wanted=theirs.shape)
        return Finding("shape", text, where, mine, theirs)
    if theirs.dtype == bool and mine.dtype != bool:
        text = say("The dtype is {dtype}; a mask is boolean here (dtype bool).", dtype=mine.dtype)
        return Finding("dtype", text, where, mine, theirs)
    if mine.dtype == theirs.dtype and deviation(mine, theirs) <= tolerance:
        return None  # the usual case first: everything below looks for words
    if not np.isfinite(mine[np.isfinite(theirs)]).all():
        bad = np.argwhere(~np.isfinite(mine) & np.isfinite(theirs))
        text = say_many(
            "{n} of {size} values is NaN or infinite, the first at {place}.",
            "{n} of {size} values are NaN or infinite, the first at {place}.",
            len(bad),
            size=mine.size,
            place=_place(bad[0]),
        )
        text = say("The value is NaN or infinite.") if mine.ndim == 0 else text
        return Finding("not_finite", text, where, mine, theirs, tuple(map(int, bad[0])))
    if deviation(mine, theirs) <= tolerance:
        return _ids_as_floats(mine, theirs, where) if isinstance(expected, Tensor) else None
    return _value_finding(mine, theirs, where, tolerance)


def _ids_as_floats(mine: np.ndarray, theirs: np.ndarray, where: str) -> Finding | None:
    """Refuse right ids that nothing can look up: torch's embeddings and indices take whole numbers only."""
    if theirs.dtype.kind != "i" or mine.dtype.kind != "f" or not theirs.ndim:
        return None
    text = say("The values are right, but their dtype is {dtype}; ids are whole numbers (int64).", dtype=mine.dtype)
    return Finding("dtype", text, where, mine, theirs)


def _value_finding(mine: np.ndarray, theirs: np.ndarray, where: str, tolerance: float) -> Finding:
    got, wanted = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        near = (got == wanted) | (np.abs(got - wanted) / scale(theirs) <= tolerance)
    bad = np.argwhere(~(near | (np.isnan(got) & np.isnan(wanted))))
    first = tuple(map(int, bad[0]))
    values = say("{got} instead of {wanted}", got=_num(mine[first]), wanted=_num(theirs[first]))
    if mine.size == 1:
        return Finding("values", say("The only value differs: {values}.", values=values), where, mine, theirs, first)
    text = say_many(
        "{n} of {size} values differs, the first at {place}: {values}.",
        "{n} of {size} values differ, the first at {place}: {values}.",
        len(bad),
        size=mine.size,
        place=_place(first),
        values=values,
    )
    return Finding("values", text, where, mine, theirs, first)


def _num(value: Any) -> str:
    return str(bool(value)) if isinstance(value, np.bool_) else f"{value:.4g}"


def _place(index: Any) -> str:
    return "[" + ", ".join(str(int(i)) for i in index) + "]"


def _listed(keys: list[Any]) -> str:
    return ", ".join(repr(key)[:40] for key in keys[:5]) + (" ..." if len(keys) > 5 else "")


def _kind(value: Any) -> str:
    """Name a value's type as a student would."""
    if isinstance(value, Opaque):
        return _kind_of_opaque(value.type_name)
    if isinstance(value, Tensor):
        return say("torch tensor")
    if isinstance(value, np.ndarray):
        return say("numpy array")
    if isinstance(value, np.generic):
        return say("single numpy number ({dtype})", dtype=value.dtype)
    name = type(value).__name__
    return say(_TYPES[name]) if name in _TYPES else name


def _kind_of_opaque(name: str) -> str:
    """Name the type of what a child could not send, in the language spoken; classes keep their names."""
    for begin, sentence in _OPAQUE.items():
        if name.startswith(begin):
            return say(sentence, what=name.removeprefix(begin))
    return name


def _describe(value: Any, where: str = "") -> str:
    """Describe a value by its type and its shape or length, for a sentence that says what was expected instead.

    It may be a part of what was returned, `where` there.
    """
    if value is None:
        return "None" if where else say("None (is a `return` missing?)")
    if isinstance(value, np.ndarray | Tensor):
        return say("a {kind} of shape {shape}", kind=_kind(value), shape=np.asarray(as_arrays(value)).shape)
    if isinstance(value, tuple | list):
        return say("a {kind} of {n}", kind=_kind(value), n=len(value))
    kind = _kind(value) or say("thing without a name")
    return say("an {kind}", kind=kind) if kind[:1] in tuple("aeioAEIO") else say("a {kind}", kind=kind)


def _instead(got: str, wanted: str) -> str:
    return say("You returned {got}; {wanted} was expected.", got=got, wanted=wanted)


def _show(value: Any) -> str:
    if isinstance(value, str) and len(value) > MAX_SHOWN:
        return f"{value[:MAX_SHOWN]!r} ..."
    return repr(value) if isinstance(value, str | int | float | None) else _describe(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
