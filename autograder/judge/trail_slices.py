"""Go back from a wrong value through all that it was made of, as far as what is surely right."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from autograder.judge.right_values import RightValues
from autograder.judge.value_trails import Statement, Trail
from autograder.sandbox.child.value_trail import RETURN


@dataclass(frozen=True, eq=False)
class Slice:
    """The steps that a wrong value was made in, and those that set the right values it was made of."""

    trail: Trail
    right: RightValues
    elsewhere: Callable[[str], bool]  # whether a function belongs to another exercise
    steps: set[int] = field(default_factory=set)
    anchors: set[tuple[int, str]] = field(default_factory=set)  # steps, and the right values that they set
    _found: dict[tuple[int, str], bool] = field(default_factory=dict)
    _usual: dict[tuple[int, str], tuple[int, bool]] = field(default_factory=dict)

    @property
    def statements(self) -> dict[tuple[str, int], Statement]:
        """The statements of the steps that are not known to be right, by file and line."""
        kept = ((self.trail.steps[n].file, self.trail.statement(n)) for n in self.steps if not self.is_settled(n))
        return {(file, statement.first): statement for file, statement in kept if statement}

    def from_step(self, number: int) -> None:
        """Add a step and all that it rests on."""
        waiting = [number]
        while waiting:
            at = waiting.pop()
            if at not in self.steps:
                self.steps.add(at)
                waiting += [*self._inside(at), *self._read_by(at), *self._heads_of(at)]

    def is_settled(self, number: int) -> bool:
        """Whether all that a step set is as correct solutions have it."""
        step, statement = self.trail.steps[number], self.trail.statement(number)
        names = {*step.values, *(statement.sets if statement else ())}
        return bool(names) and all(self._is_right(number, name) or self._is_usual(number, name) for name in names)

    def _is_right(self, number: int, name: str) -> bool:
        """Whether what a step set a variable to says enough and is right; where it holds the same as before, it may be wrong."""
        if (number, name) not in self._found:
            step = self.trail.steps[number]
            held = self.trail.held.get((step.frame, name), [])
            last = name != RETURN and bool(held) and held[-1][0] == number
            self._found[number, name] = self.right.is_right(step.function, name, step.values.get(name), last=last)
        return self._found[number, name]

    def _is_usual(self, number: int, name: str) -> bool:
        """Whether what a step set a variable to says little, and correct solutions' hold the same at the same time.

        What a loop's head sets is right where all of its passes are.
        """
        step = self.trail.steps[number]
        held = self.trail.held.get((step.frame, name), [])
        if (step.frame, name) not in self._usual:
            self._usual[step.frame, name] = self.right.usual(step.function, name, [value for _, value in held])
        longest, whole = self._usual[step.frame, name]
        if name not in step.values or self.trail.is_head(number):
            return whole and name in step.values
        return bisect_right(held, number, key=lambda each: each[0]) <= longest

    def _inside(self, at: int) -> list[int]:
        """Return the ends of the calls that a step made, where what they returned is not known to be right."""
        mine = [
            last for last in self.trail.called_in.get(at, ()) if not self.elsewhere(self.trail.steps[last].function)
        ]
        return [last for last in mine if not self._is_right(last, RETURN)]

    def _read_by(self, at: int) -> list[int]:
        """Return the steps that set what a step reads; where that is an argument of a function inside, the call."""
        statement, caller = self.trail.statement(at), self.trail.steps[at].caller
        found = []
        for name in statement.reads if statement else ():
            number = self.trail.last_set(name, at)
            if number is None:
                continue
            if self.trail.begins(number):
                found += [caller] if caller >= 0 else []
            elif self._is_right(number, name):
                self.anchors.add((number, name))
            elif not self._is_usual(number, name):
                found.append(number)
        return found

    def _heads_of(self, at: int) -> list[int]:
        """Return the heads of the loops and conditions that a step is in, as they ran last before it."""
        statement = self.trail.statement(at)
        heads = [self.trail.last_run(line, at) for line in (statement.around if statement else ())]
        return [number for number in heads if number is not None]
