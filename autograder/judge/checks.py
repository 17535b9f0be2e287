"""The checks a case can name, from one place: value checks here, properties and quizzes in modules of their own.

Each is a frozen dataclass with a verb-like constructor name, as in `@case("attention", check=close())`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from autograder.course.language import say
from autograder.course.quiz_checks import answered, choice
from autograder.course.spec import Answer, Finding
from autograder.judge.by_value import Answers, ByValue, Calls
from autograder.judge.compare import alike, difference, first_told
from autograder.judge.property_checks import agree, permuted, same_prefix, stacked, sums_to_one
from autograder.sandbox.child.tree import Code, Tensor, as_arrays, leaves

__all__ = [
    "agree", "answered", "boolean", "choice", "close", "close_as_ids",
    "close_where_real",
    "left_alike", "permuted", "same_prefix", "stacked", "sums_to_one", "untouched",
]  # fmt: skip


@dataclass(frozen=True)
class close(ByValue):
    """Every call returns the reference's value.

    `names` names the parts of a tuple, and `only` judges one of them. `at` judges one part of a nested structure, by a
    path of dict keys and positions: `at=("param_grads", "W_q.weight")`; `called` is how messages name it. With `dtype` an
    array that is all of the answer has the reference's dtype, too.
    """

    names: tuple[str, ...] = ()
    only: str = ""
    at: tuple[str | int, ...] = ()
    called: str = ""
    dtype: bool = False

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        for index, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            compare = self._part_difference if self.at else self._difference
            finding = compare(mine.value, theirs.value)
            if finding is None and self.dtype:
                finding = _dtype_difference(mine.value, theirs.value)
            if finding:
                return replace(finding, call=index)
        return None

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether the judged part is the same; other parts may hold only noise, such as a gradient of zero."""
        if self.dtype and any(_dtype_difference(a.value, b.value) for a, b in zip(got, other, strict=True)):
            return False
        if not self.at:
            return super().alike(got, other)
        pairs = (self._parts(a.value, b.value) for a, b in zip(got, other, strict=True))
        return all(alike(mine, theirs, self.tolerance) for mine, theirs in pairs)

    def _part_difference(self, mine: Any, theirs: Any) -> Finding | None:
        part, wanted = self._parts(mine, theirs)
        return difference(part, wanted, "" if wanted is theirs else self.called or _called(self.at), self.tolerance)

    def _parts(self, mine: Any, theirs: Any) -> tuple[Any, Any]:
        """Return the judged part of both, or both whole where the first has no such part."""
        part, wanted = mine, theirs
        for key in self.at:
            wanted = wanted[key]
            try:
                part = part[key]
            except (KeyError, IndexError, TypeError):
                return mine, theirs
        return part, wanted

    def _difference(self, mine: Any, theirs: Any) -> Finding | None:
        if not self.names:
            return difference(mine, theirs, tolerance=self.tolerance)
        whole = all(isinstance(value, tuple | list) and len(value) == len(self.names) for value in (mine, theirs))
        parts = zip(self.names, mine, theirs, strict=True) if whole else ()
        judged = {
            name: difference(got, right, name, self.tolerance) for name, got, right in parts if self.only in ("", name)
        }
        found = first_told(judged.values())
        if whole and not (found and found.kind == "container" and isinstance(mine, list)):
            said = dict(zip(self.names, theirs, strict=True))
            right = (name for name, finding in judged.items() if finding is None and _says_something(said[name]))
            return found and replace(found, right=tuple(right))
        found = difference(mine, theirs)  # as a whole; a list may be one of its parts alone
        if not found:
            return None
        told = found.headline.rstrip(".") + f": {', '.join(self.names)}."
        several = dict(zip(self.names, theirs, strict=False)) if isinstance(theirs, tuple | list) else {}
        same = [name for name, part in several.items() if difference(mine, part, tolerance=self.tolerance) is None]
        if len(same) == 1 and _says_something(several[same[0]]):
            told += " " + say("Yours is the right `{name}` alone.", name=same[0])
        return replace(found, headline=told)


def _says_something(value: Any) -> bool:
    """Whether a right part is more than zeros, as which much is begun."""
    return any(np.any(as_arrays(leaf)) for leaf in leaves(value))


def _dtype_difference(mine: Any, theirs: Any) -> Finding | None:
    """Say that an array has another dtype than the right one, or return None."""
    got, wanted = (getattr(as_arrays(value), "dtype", None) for value in (mine, theirs))
    if got == wanted:
        return None
    told = say("The values are right, but their dtype is {dtype}; {wanted} was expected.", dtype=got, wanted=wanted)
    return Finding("dtype", told, "", mine, theirs)


def _called(path: tuple[str | int, ...]) -> str:
    """Name a part of an answer as a sentence would: gradients by what they are the gradients of."""
    match path:
        case ("param_grads", name):
            return f"gradient of {name}"
        case ("input_grads", int(position)):
            return f"gradient of argument {position + 1}"
        case _:
            return " ".join(str(key) for key in path if not isinstance(key, int)) or f"part {path[-1]}"


@dataclass(frozen=True)
class close_where_real(close):
    """Every call returns the reference's value where ids, the `argument` so many, are not 0, which is padding.

    What comes out at padded positions is not compared. The value is (batch, time, ...), and ids are (batch, time).
    """

    argument: int = 0

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        ids = [np.asarray(as_arrays(made.args[self.argument])) for made in calls]
        return super().judge(calls, *(tuple(map(_only_real, answers, ids)) for answers in (got, expected)))


def _only_real(answer: Answer, ids: np.ndarray) -> Answer:
    """Return an answer with zeros at padded positions; one of another shape as it is."""
    array = as_arrays(answer.value)
    if not isinstance(array, np.ndarray) or array.shape[:2] != ids.shape:
        return answer
    real = (ids != 0).reshape(*ids.shape, *[1] * (array.ndim - 2))
    kept = np.where(real, array, array.dtype.type(0))
    return replace(answer, value=Tensor(kept) if isinstance(answer.value, Tensor) else kept)


@dataclass(frozen=True)
class close_as_ids(close):
    """Every call returns the reference's value, an array of whole numbers of any size: a fraction is no index."""

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        finding = super().judge(calls, got, expected)
        others = (
            replace(other, call=index)
            for index, (mine, theirs) in enumerate(zip(got, expected, strict=True))
            if not _is_whole(mine.value) and (other := _dtype_difference(mine.value, theirs.value))
        )
        return finding or next(others, None)

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether the values are the same, and both whole or neither."""
        kinds = ([_is_whole(answer.value) for answer in answers] for answers in (got, other))
        return next(kinds) == next(kinds) and super().alike(got, other)


def _is_whole(value: Any) -> bool:
    return getattr(getattr(as_arrays(value), "dtype", None), "kind", "") in ("i", "u")


@dataclass(frozen=True)
class untouched(close):
    """The value is right, as `close` judges it, and the arguments are afterwards what they were."""

    sees_arguments: ClassVar[bool] = True

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        finding = super().judge(calls, got, expected)
        if finding:
            return finding
        for index, (call, answer) in enumerate(zip(calls, got, strict=True)):
            for position, (before, after) in enumerate(itertools.zip_longest(call.args, answer.args)):
                if not _same(before, after):
                    text = say("Your function changed this argument in place; work on a copy of it.")
                    return Finding("mutated", text, f"argument {position + 1}", after, before, call=index)
        return None

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether the values and the changed arguments are the same."""
        return super().alike(got, other) and all(alike(a.args, b.args) for a, b in zip(got, other, strict=True))


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, Code):
        return True  # a function cannot be changed in place
    if isinstance(before, tuple | list):
        return type(before) is type(after) and len(before) == len(after) and all(map(_same, before, after))
    if isinstance(before, dict):
        return (
            isinstance(after, dict)
            and before.keys() == after.keys()
            and all(_same(before[k], after[k]) for k in before)
        )
    if isinstance(after, Tensor):  # before it was a torch tensor of the case, or a Tensor too
        before = getattr(before, "array", before)
        return not isinstance(before, str | None) and _same(np.asarray(before), after.array)
    if isinstance(before, np.ndarray):
        return isinstance(after, np.ndarray) and np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    if isinstance(before, float) and math.isnan(before):
        return isinstance(after, float) and math.isnan(after)
    return not isinstance(after, np.ndarray) and bool(before == after)


@dataclass(frozen=True)
class left_alike(close):
    """Every call returns the reference's value, and leaves its arguments behind as the reference does.

    It is for effects on an argument, such as a list that the call appends to. `complaint` is the message where they differ.
    """

    sees_arguments: ClassVar[bool] = True
    alike_by_value: ClassVar[bool] = False
    complaint: str = ""

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        finding = super().judge(calls, got, expected)
        if finding:
            return finding
        for index, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            changed = difference(list(mine.args), list(theirs.args), tolerance=self.tolerance)
            if changed:
                return replace(changed, kind="mutated", headline=self.complaint, where="", call=index)
        return None

    def alike(self, got: Answers, other: Answers) -> bool:
        """Whether the values and the arguments afterwards are the same."""
        return self.judge((), got, other) is None


@dataclass(frozen=True)
class boolean(ByValue):
    """Truth values equal the reference's; 0 and 1 of any dtype will do unless `strict`."""

    strict: bool = False

    def judge(self, calls: Calls, got: Answers, expected: Answers) -> Finding | None:
        for index, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            value = mine.value
            if not self.strict and isinstance(value, np.ndarray) and np.isin(value, (0, 1)).all():
                value = value.astype(bool)
            finding = difference(value, theirs.value)
            if finding:
                return replace(finding, call=index)
        return None
