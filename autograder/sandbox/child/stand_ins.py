"""Call an exercise of a submission while random functions stand in for others that it calls.

A stand-in's answer depends on its arguments. So only code that calls as the reference does, and uses the answers as it does,
gives what the reference gives among the same stand-ins. A stand-in knows the shapes of the right answers, whether they are
probabilities, and no values. Where arguments and answer have a row for each sequence, so does what it gives, and code may call it
for each row; what the reference calls with one sequence, code may call with several, or with a batch of one; and an axis of length
one may be left out.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, TypedDict

import numpy as np

from autograder.sandbox.child.call_shapes import (
    ByRow,
    Shapes,
    axes_like,
    axis_left_out,
    count_in_front,
    with_axis,
    with_rows,
    without_axis,
    without_front,
)
from autograder.sandbox.child.masks_as_known import masks_as_known
from autograder.sandbox.child.mixed_answers import Mixing
from autograder.sandbox.child.probabilities import as_probabilities, axis_of_probabilities
from autograder.sandbox.child.replaced import call_with, places_for
from autograder.sandbox.child.tree import is_object, leaves, map_leaves
from autograder.sandbox.child.wire_format import snapshot

# The shapes of a call's arguments, which of them have a row for each one of the answer, what is like the right answer to it, and
# how much of an answer changes with the arguments.
Answers = list[tuple[Shapes, ByRow, Any, float]]
FUNCTIONS = types.FunctionType, types.MethodType, functools.partial
OTHER_SHAPES = "the reference does not call it with these shapes"


class Known(TypedDict):
    """What a stand-in knows."""

    parameters: list[str]
    answers: Answers
    free: list[str]  # parameters for whole numbers that change no answer
    masks: list[str]  # those for masks that may be left out where they hide nothing
    functions: list[str]  # those for functions


def call_among(
    student: ModuleType,
    _: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
    others: Mapping[str, Known],
) -> list[Any]:
    """Make one call; return its value, and which stand-ins it called.

    `others` holds by name what each stand-in knows.
    """
    called = set[str]()
    places = places_for(student, {name: _stand_in(name, called, known) for name, known in others.items()})
    return [call_with(places, student, path, args, kwargs, module), sorted(called)]


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

    with suppress(Exception):
        call_with(places_for(student, {name: watched}), student, path, args, kwargs, module)
    return made


def _stand_in(name: str, called: set[str], known: Known) -> Callable[..., Any]:
    parameters, answers = known["parameters"], known["answers"]
    masks = [parameters.index(mask) for mask in known["masks"]]
    functions = [parameters.index(function) for function in known["functions"]]

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        called.add(name)
        given = _by_key(what_is_said(in_order(parameters, args, kwargs, known["free"]), functions))
        if masks:
            given = masks_as_known(given, shapes_of(given), [shapes for shapes, *_ in answers], masks)
        return _answered(answers, given)

    return stand_in


def what_is_said(given: Sequence[Any], functions: Collection[int] = ()) -> list[Any]:
    """Return a call's arguments without generators and models, and with what functions say of the first array, such as the `f` of `residual(x, f)`.

    At the places of `functions` a model is one as well.
    """
    said: list[Any] = [None if is_object(part) and i not in functions else part for i, part in enumerate(given)]
    array = next((leaf for leaf in leaves(said) if hasattr(leaf, "shape")), None)
    called = [isinstance(part, FUNCTIONS) or (i in functions and callable(part)) for i, part in enumerate(said)]
    return [
        part(array) if is_called and array is not None else part for part, is_called in zip(said, called, strict=True)
    ]


def _masks_alone_lack_it(known: Shapes, given: Sequence[Any]) -> bool:
    """Whether only truth values lack an axis of a known call: without it a mask lies over other entries."""
    pairs = zip(itertools.chain(*known), leaves(list(given)), strict=True)
    lacking = [leaf for before, leaf in pairs if isinstance(before, list) and getattr(leaf, "ndim", 0) < len(before)]
    return all(str(leaf.dtype).endswith("bool") for leaf in lacking)


def _answered(answers: Answers, given: Sequence[Any]) -> Any:
    shapes = shapes_of(given)
    for several in (False, True):  # axes where a known call has its rows
        for known, by_row, answer, liveliness in sorted(answers, key=lambda each: each[0] != shapes):
            axes = axes_like(known, shapes, by_row)
            if axes is not None and (len(axes) > 1) is several:
                return _of_rows(answer, given, known, by_row, axes, liveliness)
            if known == shapes:
                return mixed_alike(answer, given, liveliness)
    for known, *_ in answers:
        if count := count_in_front(known, shapes):
            return _stacked([_answered(answers, without_front(given, known, place)) for place in range(count)])
    for known, *_ in answers:
        axis = axis_left_out(known, shapes)
        if axis is not None and not _masks_alone_lack_it(known, given):
            return map_leaves(functools.partial(without_axis, axis=axis), _answered(answers, with_axis(given, known)))
    raise ValueError(OTHER_SHAPES)


def mixed_alike(answer: Any, given: Sequence[Any], liveliness: float) -> Any:
    """Return an answer that depends on all that is given, and is like another one."""
    largest = max((leaf for leaf in leaves(answer) if type(leaf) is int), default=0)
    mixing = Mixing([(part, False) for part in leaves(list(given))], liveliness, largest=largest)
    return map_leaves(lambda leaf: as_probabilities(mixing.mixed(leaf), axis_of_probabilities(leaf)), answer)


def _of_rows(
    answer: Any, given: Sequence[Any], known: Shapes, by_row: ByRow, axes: list[int], liveliness: float
) -> Any:
    """Return an answer whose rows, along all of some axes, depend on those of the arguments alone, and are drawn alike."""
    count = math.prod(axes) if axes else 0
    parts = zip(leaves(with_rows(given, known, by_row, count)), by_row, strict=True)
    mixing = Mixing([(part, count > 0 and is_by_row) for part, is_by_row in parts], liveliness, count)

    def of_rows(leaf: Any) -> Any:
        mixed = mixing.mixed(leaf[:1])
        made = mixed.reshape([*axes, *mixed.shape[1:]]) if count else mixed[0]
        return as_probabilities(made, axis_of_probabilities(leaf))

    return map_leaves(of_rows, answer)


def _stacked(rows: Sequence[Any]) -> Any:
    """Return answers as one, with an axis in front."""
    columns = zip(*map(leaves, rows), strict=True)

    def joined(_: Any) -> Any:
        column = next(columns)
        return sys.modules["torch"].stack(column) if hasattr(column[0], "detach") else np.stack(column)

    return map_leaves(joined, rows[0])


def in_order(
    parameters: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any], free: Collection[str] = ()
) -> list[Any]:
    """Return a call's arguments in the order of the parameters, None for those that are not given, 0 for `free` whole numbers."""
    given = {**dict(zip(parameters, args, strict=False)), **kwargs}
    return [0 if name in free and isinstance(given.get(name), int) else given.get(name) for name in parameters]


def _by_key(tree: Any) -> Any:
    """Return a tree whose dicts are in the order of their keys; code may fill a cache in an order of its own."""
    if isinstance(tree, list | tuple):
        return [_by_key(part) for part in tree]
    if isinstance(tree, Mapping):
        return {key: _by_key(part) for key, part in sorted(tree.items(), key=lambda item: str(item[0]))}
    return tree


def shapes_of(given: Sequence[Any]) -> Shapes:
    """Return for each argument the shapes of its arrays and its whole numbers and texts."""
    return [
        [
            list(leaf.shape) if hasattr(leaf, "shape") else leaf if isinstance(leaf, int | str) else ""
            for leaf in leaves(_by_key(a))
        ]
        for a in given
    ]
