"""The checks of properties: how the outputs of a case's own calls are related, whatever the reference gives.

A property alone is satisfied by a constant, so every one here also demands that the outputs are not constant, and authors
pair it with a value case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from autograder.course.language import marked, say
from autograder.course.spec import Finding
from autograder.judge.by_value import Answers, ByValue, Calls
from autograder.judge.compare import difference
from autograder.judge.tolerance import TOLERANCE, deviation
from autograder.sandbox.child.tree import as_arrays

NOISE = 1e-6  # the difference that another order of operations makes in single precision


def _not_constant(values: list[np.ndarray]) -> Finding | None:
    if all(deviation(value, np.full_like(value, value.flat[0])) <= NOISE for value in values if value.size):
        text = say("The output is the same number everywhere, whatever the input.")
        return Finding("constant", text, got=values[0])
    return None


def _arrays(got: Answers, expected: Answers) -> list[np.ndarray] | Finding:
    """Return every answer's array, or why one is not an array of the reference's shape."""
    arrays = []
    for index, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        finding = difference(mine.value, theirs.value)
        if finding and finding.kind not in ("values", "dtype"):
            return replace(finding, call=index)
        arrays.append(np.asarray(as_arrays(mine.value)))
    return arrays


def _mismatch(mine: np.ndarray, theirs: np.ndarray, text: str, tolerance: float, call: int = 1) -> Finding | None:
    finding = difference(mine, theirs, tolerance=tolerance)
    return finding and replace(finding, kind="property", headline=text, call=call)


@dataclass(frozen=True)
class same_prefix(ByValue):
    """Of two calls, the outputs agree on the first `upto` entries of `axis` and differ somewhere after them."""

    axis: int = -2
    upto: int = 1

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        arrays = _arrays(got, expected)
        if isinstance(arrays, Finding):
            return arrays
        before, after = (np.split(a, [self.upto], axis=self.axis) for a in arrays)
        if deviation(after[1], before[1]) <= TOLERANCE:
            text = say("Changing the later inputs did not change the later outputs either.")
            return Finding("constant", text, call=1)
        text = say("Changing inputs from position {n} on changed an output before it: the future leaks.", n=self.upto)
        return _mismatch(after[0], before[0], text, self.tolerance)


@dataclass(frozen=True)
class agree(ByValue):
    """All calls of the case return the same, and something that is not constant."""

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        arrays = _arrays(got, expected)
        if isinstance(arrays, Finding):
            return arrays
        for index, array in enumerate(arrays[1:], start=1):
            text = say("Two calls that should give the same output gave different ones.")
            finding = _mismatch(array, arrays[0], text, self.tolerance, index)
            if finding:
                return finding
        return _not_constant(arrays)


@dataclass(frozen=True)
class permuted(ByValue):
    """The second call's output is the first's, reordered along `axis`."""

    axis: int
    order: tuple[int, ...]

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        arrays = _arrays(got, expected)
        if isinstance(arrays, Finding):
            return arrays
        text = say("Reordering the input positions did not reorder the output in the same way.")
        moved = np.take(arrays[0], self.order, axis=self.axis)
        return _mismatch(arrays[1], moved, text, self.tolerance) or _not_constant(arrays)


@dataclass(frozen=True)
class stacked(ByValue):
    """The first call, on a batch, returns the other calls' outputs stacked."""

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        arrays = _arrays(got, expected)
        if isinstance(arrays, Finding):
            return arrays
        text = say("The batch gives another result than its rows one by one.")
        return _mismatch(arrays[0], np.stack(arrays[1:]), text, self.tolerance, 0) or _not_constant(arrays)


@dataclass(frozen=True)
class sums_to_one(ByValue):
    """Along `axis` the output is a probability distribution, and not the same one everywhere."""

    axis: int = -1

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        arrays = _arrays(got, expected)
        if isinstance(arrays, Finding):
            return arrays
        for index, array in enumerate(arrays):
            if (array < 0).any():
                return Finding("property", say("Some weights are negative."), got=array, call=index)
            total = np.asarray(array.sum(axis=self.axis, dtype=np.float64))
            if deviation(total, np.ones_like(total)) > self.tolerance:
                worst = total.flat[np.abs(total - 1).argmax()]
                told = marked("The weights do not sum to 1 along axis {axis}; some sum to {worst:.4g}.")
                text = say(told, axis=self.axis, worst=worst)
                return Finding("property", text, got=array, call=index)
        return _not_constant(arrays)
