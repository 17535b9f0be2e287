"""Which values of a student's are surely right: those that correct solutions have in the same call.

A value that says enough, by its different fractions, is right wherever it came up. One that says little, such as a length, is
right only as the same setting of a variable of the same name.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from autograder.judge.tolerance import deviation
from autograder.oracle.value_trails import Trail

ENOUGH = 3  # different fractions that two values do not share by chance
DIGITS = 5
MOST_LOOKED = 500  # numbers of a value, to see whether it says enough
MOST_NEAR = 300  # values that one is compared with


class Variable(NamedTuple):
    """A variable in one call of a function of a correct solution."""

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
    settings: dict[Variable, list[np.ndarray]]
    lines: dict[Variable, list[int]]  # where each of them was set

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
        matches = self.matches(value)
        if any(self._goes_on(variable, time) for variable, time in matches):
            return False
        if last and not any(time == len(self.settings[variable]) - 1 for variable, time in matches):
            return False
        found = [variable for variable, _ in matches]
        named = self._solutions_with.get(name, frozenset()) if self.is_own(function) else frozenset()
        return bool(found) and named <= {v.solution for v in found if v.name == name and self.is_own(v.function)}

    def _goes_on(self, variable: Variable, time: int) -> bool:
        """Whether a correct solution changes a value further down; in another pass of a loop it is set again further up."""
        lines = self.lines[variable]
        return time + 1 < len(lines) and lines[time + 1] > lines[time]

    def usual(self, function: str, name: str, values: Sequence[np.ndarray]) -> tuple[int, bool]:
        """Return how many of a variable's first values say little and are those of all correct solutions' variables of that name.

        And whether in all of them these are all that it ever held.
        """
        mine = list(takewhile(lambda value: not self.says_enough(value), values)) if self.is_own(function) else []
        solutions = self._named.get(name, {}).values() if mine else ()
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
    def _named(self) -> dict[str, dict[int, list[list[np.ndarray]]]]:
        """What the variables of each name held in each correct solution, in the function that is called."""
        found = defaultdict[str, dict[int, list[list[np.ndarray]]]](dict)
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


def right_values(function: str, args: Iterable[np.ndarray], tolerance: float, trails: Sequence[Trail]) -> RightValues:
    """Return the values of correct solutions in one call, by their trails."""
    settings, lines = dict[Variable, list[np.ndarray]](), dict[Variable, list[int]]()
    for solution, trail in enumerate(trails):
        for (frame, name), held in trail.held.items():
            variable = Variable(solution, frame, trail.steps[held[0][0]].function, name)
            settings[variable] = [plain(value) for _, value in held]
            lines[variable] = [trail.steps[number].line for number, _ in held]
    given = frozenset(number for array in args for number in _numbers(array))
    return RightValues(function, given, tolerance, settings, lines)


def plain(value: np.ndarray) -> np.ndarray:
    """Return an array without axes of length one."""
    with np.errstate(invalid="ignore"):  # a NaN is one, whatever its bits
        return np.asarray(value.squeeze(), np.float64 if value.dtype.kind == "f" else value.dtype)


def _numbers(value: np.ndarray) -> set[float]:
    """Return the different numbers of an array of fractions."""
    if value.dtype.kind != "f":
        return set()
    return {float(f"{number:.{DIGITS}g}") for number in value[np.isfinite(value)].ravel()}


def _sum(value: np.ndarray) -> float:
    return float(value[np.isfinite(value)].sum())
