"""Find which arguments of a call have a row for each row of its answer, such as the sequences of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.oracle.reference import Reference
from autograder.sandbox.child.call_shapes import ByRow, Shapes, axes_like
from autograder.sandbox.child.stand_ins import Answers, in_order, shapes_of
from autograder.sandbox.child.tree import Tensor, array_of, as_arrays, leaves, map_leaves

Place = tuple[int, int, int]  # which argument it is, how many axes an array in it has, and how many the answer
Shared = frozenset[Place]


def by_row(known: Shapes, answer: Any, shared: Shared) -> ByRow:
    """Return for each array, number and text of a call's arguments whether it has a row for each one of the answer.

    An array of a `shared` argument has none, as many rows as it may have: weights may have as many by chance.
    """
    rows, axes = _rows_of(answer)
    return [
        isinstance(shape, list) and rows > 0 and shape[:1] == [rows] and (number, len(shape), axes) not in shared
        for number, shapes in enumerate(known)
        for shape in shapes
    ]


def shared_by_rows(oracle: Reference, path: str) -> Shared:
    """Return which arguments of a function, or a module's `forward`, have other lengths than the answer in some case of it.

    An axis of length one says nothing: it may stand for all rows.
    """
    return oracle.kept(("shared by rows", path), lambda: frozenset(_lengths_apart(oracle, path)))


def _lengths_apart(oracle: Reference, path: str) -> Iterator[Place]:
    exercise, parameters = path.partition(".")[0], oracle.signatures[path]
    for trial in oracle.trials_of(exercise):
        for call, outcome in zip(trial.calls, oracle.expected(trial), strict=True):
            backward = call.module is not None and call.module.cotangents
            rows, axes = _rows_of(outcome.value["output"] if backward else outcome.value)
            if rows and call.path(exercise) == path:
                given = in_order(parameters, as_arrays(call.args), as_arrays(dict(call.kwargs)))
                each = [(n, shape) for n, shapes in enumerate(shapes_of(given)) for shape in shapes]
                yield from (
                    (n, len(s), axes) for n, s in each if isinstance(s, list) and s[:1] not in ([], [1], [rows])
                )


def with_the_row_of(answers: Answers, shapes: Shapes, drawn: Any) -> Any:
    """Return a random answer that has its first row, of which all are made, of an earlier one to a call with other rows.

    Who asks for all times at once asks for more rows of either call, and gets the same.
    """
    for known, rows, answer, _ in answers:
        axes = axes_like(known, shapes, rows)
        if axes is not None and len(axes) <= 1:
            return _with_row(drawn, answer, whole=not axes)
    return drawn


def _with_row(drawn: Any, answer: Any, *, whole: bool) -> Any:
    """Return an answer with the first row of another; `whole` where that is all of it."""
    others = leaves(answer)

    def with_row(leaf: Any) -> Any:
        row = np.asarray(array_of(next(others)))[0]
        array = array_of(leaf)
        if array is None:
            return float(row)
        made = np.array(array)
        made[() if whole else 0] = row
        return Tensor(made) if isinstance(leaf, Tensor) else made

    return map_leaves(with_row, drawn)


def _rows_of(answer: Any) -> tuple[int, int]:
    """Return how many rows all of an answer has, and its most axes; 0 rows where parts of it have different numbers, or none."""
    arrays = [array_of(leaf) for leaf in leaves(answer)]
    lengths = {array.shape[0] if array is not None and array.ndim else 0 for array in arrays}
    axes = max((array.ndim for array in arrays if array is not None), default=0)
    return (lengths.pop() if len(lengths) == 1 else 0), axes
