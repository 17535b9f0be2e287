"""Take what came and what was expected apart into pairs of arrays, each with what its call was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from autograder.course.spec import Visibility
from autograder.judge.tolerance import TOLERANCE, deviation, scale
from autograder.judge.trials import Facts, Judged, Trial
from autograder.sandbox.child.tree import array_of
from autograder.sandbox.job import Ending, Outcome

Path = tuple[str | int, ...]
MAX_ENTRIES = 100_000  # of an array that is looked at
_OURS = ("output", "input_grads", "param_grads")  # the keys of what a module's call returns
_GRADIENTS = (("input_grads",), ("param_grads",))


@dataclass(frozen=True, eq=False)
class Part:
    """One array that a call returned, the one that was expected, and all that the call was given, by name."""

    trial: Trial
    call: int
    path: Path
    got: np.ndarray
    expected: np.ndarray
    given: Mapping[str, np.ndarray]
    beside: Mapping[str, np.ndarray]  # the other parts that were expected, as messages name them

    @property
    def called(self) -> str:
        """The part as messages name it."""
        return _called(self.trial, self.path)

    @property
    def tolerance(self) -> float:
        """By how much the case lets it deviate."""
        return float(getattr(self.trial.case.check, "tolerance", TOLERANCE))

    @cached_property
    def is_wrong(self) -> bool:
        """Whether it is not what was expected."""
        return not self.agrees(self.got, self.expected)

    @cached_property
    def wrong(self) -> np.ndarray:
        """The entries that are wrong; all of them where the shape is."""
        if self.got.shape != self.expected.shape:
            return np.ones(self.got.shape, dtype=bool)
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.got.astype(np.float64) - self.expected)
        return np.asarray(~((apart <= self.tolerance * scale(self.expected)) | (self.got == self.expected)))

    def agrees(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Whether two arrays are alike, by the tolerance of the case. NaN is like nothing."""
        return one.shape == other.shape and not np.isnan(one).any() and deviation(one, other) <= self.tolerance


def parts_of(oracle: Facts, judged: Sequence[Judged]) -> tuple[Part, ...]:
    """Return every array that cases judge, of the calls that returned; a crash has no arrays.

    Where something else is wrong as well, gradients are left out, since they follow from it. What has a key is left out
    where no public case has that key, since parts are told by name and a key may be data.
    """
    keys: set[str | int] = set(_OURS)
    for trial in (j.trial for j in judged if j.trial.case.visibility is Visibility.PUBLIC):
        keys |= {key for o in oracle.expected(trial) for key in _keys(o.value)}
        keys |= {key for made in trial.calls for key in _keys([list(made.args), *made.kwargs.values()])}
    found = [part for j in judged for part in _parts_of_trial(oracle, j, keys)]
    forward = [part for part in found if part.path[:1] not in _GRADIENTS]
    return tuple(forward if any(part.is_wrong for part in forward) else found)


def shown_parts(oracle: Facts, judged: Sequence[Judged]) -> Iterator[Part]:
    """Yield the wrong array of each smaller call that is shown in the place of a case's own, with the arguments that are arrays or numbers."""
    for small in (j.smallest for j in judged):
        if small and small.finding:
            finding = small.finding
            got, expected = array_of(finding.got), array_of(finding.expected)
            if got is not None and expected is not None:
                given = dict(given_of(oracle, small.trial, finding.call, frozenset()))
                yield Part(small.trial, finding.call, (), got, expected, given, {})


def _keys(tree: Any) -> Iterator[str | int]:
    """Yield the keys of all dicts in a tree."""
    if isinstance(tree, dict):
        yield from tree
    if isinstance(tree, dict | list | tuple):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _keys(part)


def _parts_of_trial(oracle: Facts, judged: Judged, keys: AbstractSet[str | int]) -> Iterator[Part]:
    trial = judged.trial
    if any(outcome.ending is not Ending.RETURNED for outcome in judged.outcomes):
        return
    for index, (mine, theirs) in enumerate(zip(judged.outcomes, oracle.expected(trial), strict=True)):
        got, expected = arrays_in(mine), dict(_arrays(theirs.value, (), keys))
        given = dict(given_of(oracle, trial, index, keys))
        names = {path: _called(trial, path) for path in expected}
        for path, array in expected.items():
            if path in got and is_judged(trial, path) and max(array.size, got[path].size) <= MAX_ENTRIES:
                beside = {names[other]: expected[other] for other in expected if other != path}
                yield Part(trial, index, path, got[path], array, given, beside)


def _called(trial: Trial, path: Path) -> str:
    match path:
        case ("param_grads", name):
            return f"gradient of {name}"
        case ("input_grads", int(position)):
            return f"gradient of argument {position + 1}"
        case (str(name), *rest):
            pass
        case (int(position), *rest):
            names = getattr(trial.case.check, "names", ())
            name = names[position] if position < len(names) else f"[{position}]"
        case _:
            return ""
    return name + "".join(f"[{key!r}]" for key in rest)


def arrays_in(outcome: Outcome) -> dict[Path, np.ndarray]:
    """Return the arrays and numbers that a call returned, by the keys and positions that lead to them."""
    return dict(_arrays(outcome.value, ()))


def _arrays(tree: Any, path: Path, keys: AbstractSet[str | int] | None = None) -> Iterator[tuple[Path, np.ndarray]]:
    """Yield the arrays and numbers of a tree; those in a dict only under some of its keys, unless all may be told."""
    if isinstance(tree, dict | list | tuple):
        for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            if keys is None or not isinstance(tree, dict) or key in keys or path == ("param_grads",):
                yield from _arrays(part, (*path, key), keys)
        return
    array = np.asarray(tree) if isinstance(tree, bool | int | float) else array_of(tree)
    if array is not None and array.size and array.dtype.kind in "fiub":
        yield path, np.asarray(array, np.float64) if array.dtype.kind == "f" else array


def is_judged(trial: Trial, path: Path) -> bool:
    """Whether a case looks at a part; what else a call returns may hold only noise."""
    at = getattr(trial.case.check, "at", ())
    names, only = getattr(trial.case.check, "names", ()), getattr(trial.case.check, "only", "")
    return path[: len(at)] == at and (not only or path[:1] == (names.index(only),))


def given_of(oracle: Facts, trial: Trial, index: int, keys: AbstractSet[str | int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays and numbers that a call was given, each by its parameter's name; of a dict those under some keys."""
    call = trial.calls[index]
    parameters = oracle.signatures.get(call.path(trial.case.exercise), ())
    named = dict(zip(parameters, call.args, strict=False)) | dict(call.kwargs)
    for name, value in named.items():
        for path, array in _arrays(value, (), keys):
            yield name + "".join(f"[{key!r}]" for key in path), array
