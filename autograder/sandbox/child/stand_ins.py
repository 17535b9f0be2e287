"""Call an exercise of a submission while random functions stand in for others that it calls.

A stand-in's answer depends on its arguments. So only code that calls as the reference does, and uses the answers as it does,
gives what the reference gives among the same stand-ins. A stand-in knows the shapes of the right answers and no values. Where
arguments and answer have a row for each sequence, so does what it gives, and code may call it for each row.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

import numpy as np

from autograder.sandbox.child.program import Invocation, call_module
from autograder.sandbox.child.tree import leaves, map_leaves
from autograder.sandbox.child.wire_format import snapshot

Shapes = list[Any]  # of a call's arguments, in the order of the parameters
OTHER_SHAPES = "the reference does not call it with these shapes"


def call_among(
    student: ModuleType,
    _: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
    others: Mapping[str, tuple[Sequence[str], Sequence[tuple[Shapes, Any]]]],
) -> Any:
    """Make one call; `others` holds by name each stand-in's parameters, and its answers by the shapes of the arguments."""
    with _in_place(student, {name: _stand_in(*known) for name, known in others.items()}):
        found = operator.attrgetter(path)(student)
        if module is None:
            return found(*args, **kwargs)
        return call_module(found, Invocation(path, args, kwargs, module, keep=False), module)


def calls_inside(
    student: ModuleType,
    _: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
    name: str,
    parameters: Sequence[str],
) -> list[list[Any]]:
    """Make one call and return those of the function `name` inside it, each as its arguments in order and what it returned.

    What ends in an exception has the calls up to there; one that raised returned None.
    """
    own, made = getattr(student, name, None), list[list[Any]]()

    def watched(*args: Any, **kwargs: Any) -> Any:
        call = [snapshot(in_order(parameters, args, kwargs), 0), None]
        made.append(call)
        value = own(*args, **kwargs)  # type: ignore[misc] # without it nothing calls
        call[1] = snapshot(value, 0)
        return value

    with suppress(Exception), _in_place(student, {name: watched}):
        found = operator.attrgetter(path)(student)
        if module is None:
            found(*args, **kwargs)
        else:
            call_module(found, Invocation(path, args, kwargs, module, keep=False), module)
    return made


@contextmanager
def _in_place(student: ModuleType, others: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """Replace functions of a program, and the `forward` of its modules, until the block ends."""
    changed = []
    for name, other in others.items():
        own = getattr(student, name, None)
        place: Any = own if isinstance(own, type) else student
        attribute = "forward" if isinstance(own, type) else name
        changed.append((place, attribute, getattr(place, attribute, None)))
        setattr(place, attribute, _as_method(other) if place is own else other)
    try:
        yield
    finally:
        for place, attribute, own in changed:
            setattr(place, attribute, own)


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *args, **kwargs: function(*args, **kwargs)


def _stand_in(parameters: Sequence[str], answers: Sequence[tuple[Shapes, Any]]) -> Callable[..., Any]:
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        given = in_order(parameters, args, kwargs)
        shapes = shapes_of(given)
        for known, answer in sorted(answers, key=lambda each: each[0] != shapes):
            rows = _rows_of(known, answer)
            count = _count_like(known, shapes, rows) if rows else None
            if count is not None:
                return _by_row(answer, given, known, rows, count)
            if known == shapes:
                return _mixed_alike(answer, given)
        raise ValueError(OTHER_SHAPES)

    return stand_in


def _mixed_alike(answer: Any, given: Sequence[Any]) -> Any:
    totals: dict[str, Any] = {}
    return map_leaves(lambda leaf: _mixed(leaf, given, totals), answer)


def _rows_of(known: Shapes, answer: Any) -> int:
    """Return how many rows an answer has, if all of it and an argument have as many; else 0."""
    lengths = {leaf.shape[0] if getattr(leaf, "shape", ()) else 0 for leaf in leaves(answer)}
    rows = lengths.pop() if len(lengths) == 1 else 0
    return rows if any(_has_rows(shape, rows) for shapes in known for shape in shapes) else 0


def _has_rows(shape: Any, rows: int) -> bool:
    return isinstance(shape, list) and shape[:1] == [rows]


def _count_like(known: Shapes, shapes: Shapes, rows: int) -> int | None:
    """Return how many rows a call is made with that is like a known one but for their number; 0 is one without its axis."""
    counts = set()
    if [len(each) for each in known] != [len(each) for each in shapes]:
        return None
    for before, now in zip(itertools.chain(*known), itertools.chain(*shapes), strict=True):
        if not _has_rows(before, rows):
            if before != now:
                return None
        elif isinstance(now, list) and now == before[1:]:
            counts.add(0)
        elif isinstance(now, list) and now[:1] > [0] and now[1:] == before[1:]:
            counts.add(now[0])
        else:
            return None
    return counts.pop() if len(counts) == 1 else None


def _by_row(answer: Any, given: Sequence[Any], known: Shapes, rows: int, count: int) -> Any:
    """Return an answer whose rows depend on those of the arguments alone, and are drawn alike."""
    parts = [*zip(leaves(list(given)), itertools.chain(*known), strict=True)]
    totals: list[dict[str, Any]] = [{} for _ in range(max(count, 1))]

    def row(leaf: Any, number: int) -> Any:
        mine = [part[number] if count and _has_rows(shape, rows) else part for part, shape in parts]
        return _mixed(leaf[:1], mine, totals[number])

    def made(leaf: Any) -> Any:
        if not count:
            return row(leaf, 0)[0]
        each = [row(leaf, number) for number in range(count)]
        if isinstance(leaf, np.ndarray):
            return np.concatenate(each)
        import torch

        return torch.cat(each)

    return map_leaves(made, answer)


def in_order(parameters: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Return a call's arguments in the order of the parameters, None for those that are not given."""
    given = {**dict(zip(parameters, args, strict=False)), **kwargs}
    return [given.get(name) for name in parameters]


def shapes_of(given: Sequence[Any]) -> Shapes:
    """Return for each argument the shapes of its arrays and its whole numbers and texts."""
    return [
        [
            list(leaf.shape) if hasattr(leaf, "shape") else leaf if isinstance(leaf, int | str) else ""
            for leaf in leaves(a)
        ]
        for a in given
    ]


def _mixed(leaf: Any, given: Sequence[Any], totals: dict[str, Any]) -> Any:
    """Return an array of fractions scaled by a function of all arguments, through which gradients flow.

    `totals` holds by dtype what was computed of these arguments so far.
    """
    dtype = str(getattr(leaf, "dtype", ""))
    if "float" not in dtype:
        return leaf
    if dtype not in totals:
        totals[dtype] = _total(given, leaf)
    return leaf * (1.5 + (np.tanh(totals[dtype]) if isinstance(leaf, np.ndarray) else totals[dtype].tanh()))


def _total(given: Sequence[Any], like: Any) -> Any:
    """Return the sum over all arrays of their inner products with fixed numbers, in the dtype of another array."""
    arrays = [array for array in leaves(list(given)) if hasattr(array, "shape") and 0 not in array.shape]
    return sum((_projected(array, number, like) for number, array in enumerate(arrays)), like.reshape(-1)[:1].sum() * 0)


def _projected(array: Any, number: int, like: Any) -> Any:
    """Return the inner product of an array with fixed numbers, in the dtype of another."""
    fixed = _fixed(int(np.prod(array.shape)), number)
    if isinstance(array, np.ndarray) or isinstance(like, np.ndarray):
        return (np.asarray(array, like.dtype).reshape(-1) * fixed.astype(like.dtype)).sum()
    return (array.to(like.dtype).reshape(-1) * like.new_tensor(fixed)).sum()


@functools.cache
def _fixed(size: int, number: int) -> np.ndarray:
    """Return the numbers that the array in a place of the arguments is multiplied by."""
    numbers: np.ndarray = np.cos(np.arange(size) + number) / size**0.5
    return numbers
