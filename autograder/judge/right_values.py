"""Which values of a student's are surely right: those that correct solutions have in the same call.

A value that says enough, by its different fractions, is right wherever it came up. One that says little, such as a length, is
right only as the same setting of a variable of the same name.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from autograder.judge.tolerance import TOLERANCE, deviation
from autograder.sandbox.child.tree import array_of, as_arrays, leaves
from autograder.sandbox.child.value_trail import RETURN
from autograder.sandbox.job import Request

ENOUGH = 3  # different fractions that two values do not share by chance
DIGITS = 5
MOST_LOOKED = 500  # numbers of a value, to see whether it says enough
MOST_NEAR = 300  # values that one is compared with
ROOT = 0  # the frame of the call that is asked for
MOST_SOLUTIONS = 4  # whose values answers are compared with: the reference and those first in order
MOST_SETTINGS = 3  # of one variable, for that
MOST_ENTRIES = 1000  # of a value, for that


class Variable(NamedTuple):
    """A variable in one call of a function of a correct solution; at home the names of other functions are left out."""

    solution: int
    frame: int
    function: str
    name: str


@dataclass(frozen=True, eq=False)
class RightValues:
    """What correct solutions have on the way through one call; all arrays are without axes of length one."""

    function: str  # that is called
    given: frozenset[float]  # the numbers of its arguments
    tolerance: float
    settings: Mapping[Variable, Sequence[np.ndarray]]
    goes_on: Mapping[Variable, Sequence[bool]]  # whether the solution changes each of them further down
    known_as: Callable[[str], str] = str  # what a student's variable is called among these

    def says_enough(self, value: np.ndarray) -> bool:
        """Whether a value is no other's by chance, and more than a copy of what was given."""
        numbers = _numbers(value.ravel()[:MOST_LOOKED])
        return sum(number % 1 != 0 for number in numbers) >= ENOUGH and not numbers <= self.given

    def matches(self, value: np.ndarray) -> list[tuple[Variable, int]]:
        """Return the variables of correct solutions that held a value, and at which of their settings, from 0."""
        value = plain(value)
        known = self._by_shape.get(value.shape)
        if known is None:
            return []
        sums, held = known
        total = _sum(value)
        noise = 2 * self.tolerance * value.size * float(np.abs(value[np.isfinite(value)]).max(initial=0.0))
        near = held[bisect_left(sums, total - noise) : bisect_right(sums, total + noise)][:MOST_NEAR]
        return [(variable, time) for variable, time, other in near if self._same(value, other)]

    def is_right(self, function: str, name: str, value: np.ndarray | None, *, last: bool = False) -> bool:
        """Whether a variable's value says enough and is right; `last` says that the variable is not set again.

        Where correct solutions have a variable of that name, all of them must have held the value in it: else it may be a
        right value in the wrong place. Where one of them goes on to change it, as scores before their mask, or where it is
        the last one here and a passing one there, as a sum over a part, it may be right too early.
        """
        if value is None or not self.says_enough(value):
            return False
        name, matches = self.known_as(name), self.matches(value)
        if any(self.goes_on[variable][time] for variable, time in matches):
            return False
        if last and not any(time == len(self.settings[variable]) - 1 for variable, time in matches):
            return False
        found = [variable for variable, _ in matches]
        named = self._solutions_with.get(name, frozenset()) if self.is_own(function) else frozenset()
        return bool(found) and named <= {v.solution for v in found if v.name == name and self.is_own(v.function)}

    def on_the_way(self, request: Request) -> Iterator[tuple[object, np.ndarray]]:
        """Yield the values that are kept in variables of the function itself, each with what it is known by in all calls.

        Left out is what was given, or fills an array before it is set.
        """
        given = list(map(plain, given_to(request)))
        for variable, known in self.settings.items():
            if variable.frame == ROOT and variable.solution < MOST_SOLUTIONS and variable.name != self.known_as(RETURN):
                for time, value in enumerate(known[:MOST_SETTINGS]):
                    if _says_something(value) and not any(are_alike(value, other) for other in given):
                        yield (variable.solution, variable.name, time), value

    def usual(self, function: str, name: str, values: Sequence[np.ndarray]) -> tuple[int, bool]:
        """Return how many of a variable's first values say little and are those of all correct solutions' variables of that name.

        And whether in all of them these are all that it ever held.
        """
        mine = list(takewhile(lambda value: not self.says_enough(value), values)) if self.is_own(function) else []
        solutions = self._named.get(self.known_as(name), {}).values() if mine else ()
        shared = [max(self._shared(mine, known, len(values)) for known in solution) for solution in solutions]
        return min(shared, default=(0, False))[0], bool(shared) and all(whole for _, whole in shared)

    def _shared(self, mine: Sequence[np.ndarray], known: Sequence[np.ndarray], every: int) -> tuple[int, bool]:
        """Return how many values two variables begin with that are the same, and whether these are all."""
        pairs = zip(map(plain, mine), known, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].shape == pair[1].shape and self._same(*pair), pairs))
        return same, same == len(known) == every

    def _same(self, one: np.ndarray, other: np.ndarray) -> bool:
        return deviation(one, other) <= self.tolerance

    def is_own(self, function: str) -> bool:
        """Whether a function is the one that is called, or stands in the same class."""
        return function.partition(".")[0] == self.function.partition(".")[0]

    @cached_property
    def _by_shape(self) -> dict[tuple[int, ...], tuple[list[float], list[tuple[Variable, int, np.ndarray]]]]:
        """The values that say enough, by shape, and in the order of their sums, which are beside them."""
        found = defaultdict[tuple[int, ...], list[tuple[Variable, int, np.ndarray]]](list)
        for variable, known in self.settings.items():
            for time, value in enumerate(known):
                if self.says_enough(value):
                    found[value.shape].append((variable, time, value))
        ordered = {shape: sorted(held, key=lambda each: _sum(each[2])) for shape, held in found.items()}
        return {shape: ([_sum(value) for *_, value in held], held) for shape, held in ordered.items()}

    @cached_property
    def _named(self) -> dict[str, dict[int, list[Sequence[np.ndarray]]]]:
        """What the variables of each name held in each correct solution, in the function that is called."""
        found = defaultdict[str, dict[int, list[Sequence[np.ndarray]]]](dict)
        for variable, known in self.settings.items():
            if self.is_own(variable.function):
                found[variable.name].setdefault(variable.solution, []).append(known)
        return dict(found)

    @cached_property
    def _solutions_with(self) -> dict[str, frozenset[int]]:
        """The correct solutions that have a variable of a name which holds something that says enough."""
        found = defaultdict[str, set[int]](set)
        for variable in {variable for _, held in self._by_shape.values() for variable, _, _ in held}:
            if self.is_own(variable.function):
                found[variable.name].add(variable.solution)
        return {name: frozenset(solutions) for name, solutions in found.items()}


def numbers_given(request: Request) -> frozenset[float]:
    """Return the numbers of a call's arguments, those of a module's parameters with them."""
    return frozenset(number for array in given_to(request) for number in _numbers(array))


def given_to(request: Request) -> list[np.ndarray]:
    """Return the arrays that a call is given, those of a module's parameters with them."""
    given = leaves(as_arrays([list(request.args), dict(request.kwargs), request.module]))
    return [array for leaf in given if (array := array_of(leaf)) is not None]


def plain(value: np.ndarray) -> np.ndarray:
    """Return an array without axes of length one."""
    with np.errstate(invalid="ignore"):  # a NaN is one, whatever its bits
        return np.asarray(value.squeeze(), np.float64 if value.dtype.kind == "f" else value.dtype)


def _numbers(value: np.ndarray) -> set[float]:
    """Return the different numbers of an array of fractions."""
    if value.dtype.kind != "f":
        return set()
    return {float(f"{number:.{DIGITS}g}") for number in value[np.isfinite(value)].ravel()}


def _says_something(value: np.ndarray) -> bool:
    told = value.dtype.kind == "f" and 0 < value.size <= MOST_ENTRIES
    return told and (value.size == 1 or bool(np.ptp(value) > 0))


def are_alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have one shape and the same numbers."""
    return one.shape == other.shape and deviation(one, other) <= TOLERANCE


def _sum(value: np.ndarray) -> float:
    return float(value[np.isfinite(value)].sum())
