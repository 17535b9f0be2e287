"""A call's values on the way, as a program told them: read from what a child sent, or from a run here, and looked up."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from autograder.sandbox.child import value_trail
from autograder.sandbox.child.value_trail import MOST_STEPS, MOST_VALUES
from autograder.sandbox.job import Request

MOST_LINES = 200  # of one statement
MOST_NAMES = 60  # that it reads, say
_HARNESS = f"from {value_trail.__name__} import value_trail"


@dataclass(frozen=True)
class Statement:
    """A statement that ran: its lines, the names that it reads and sets, and the first lines of those around it."""

    first: int
    last: int
    reads: tuple[str, ...]
    sets: tuple[str, ...]
    touches: tuple[str, ...]  # that it may change without setting them, as a method of an object does
    around: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Step:
    """One statement's run: in which call of which function, from which other step, and what it changed."""

    frame: int
    caller: int
    function: str
    file: str
    line: int
    values: Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Trail:
    """All steps of one call, and the statements of each file that ran in it."""

    steps: tuple[Step, ...]
    statements: Mapping[str, tuple[Statement, ...]]

    @cached_property
    def of_frame(self) -> Mapping[int, list[int]]:
        """The steps of each call of a function, in order; the first is its beginning, which has the arguments."""
        found = defaultdict[int, list[int]](list)
        for number, step in enumerate(self.steps):
            found[step.frame].append(number)
        return dict(found)

    @property
    def root(self) -> int:
        """The frame of the call that was asked for: constructors come before it."""
        return [step.frame for step in self.steps if step.caller < 0][-1]

    @cached_property
    def called_in(self) -> Mapping[int, list[int]]:
        """The last steps of the calls that each step made."""
        found = defaultdict[int, list[int]](list)
        for numbers in self.of_frame.values():
            found[self.steps[numbers[0]].caller].append(numbers[-1])
        return dict(found)

    @cached_property
    def _by_line(self) -> Mapping[tuple[str, int], Statement]:
        """The innermost statement at each line."""
        every = [(file, each) for file, known in self.statements.items() for each in known]
        every.sort(key=lambda pair: pair[1].first - pair[1].last)
        return {(file, line): each for file, each in every for line in range(each.first, each.last + 1)}

    @cached_property
    def _heads(self) -> frozenset[tuple[str, int]]:
        """The lines of statements that others are inside of."""
        return frozenset((file, line) for file, known in self.statements.items() for s in known for line in s.around)

    @cached_property
    def _set_at(self) -> Mapping[tuple[int, str], list[int]]:
        """The steps of each frame that set a variable; where it never holds numbers, also those that may change it."""
        found, touched = defaultdict[tuple[int, str], list[int]](list), defaultdict[tuple[int, str], list[int]](list)
        for number, step in enumerate(self.steps):
            statement = self.statement(number)
            for name in {*step.values, *(statement.sets if statement else ())}:
                found[step.frame, name].append(number)
            for name in statement.touches if statement else ():
                touched[step.frame, name].append(number)
        held = {(step.frame, name) for step in self.steps for name in step.values}
        for key in touched.keys() - held:
            found[key] = sorted({*found[key], *touched[key]})
        return dict(found)

    @cached_property
    def _ran_at(self) -> Mapping[tuple[int, int], list[int]]:
        """The steps of each frame by the first line of their statement."""
        found = defaultdict[tuple[int, int], list[int]](list)
        for number, step in enumerate(self.steps):
            if statement := self.statement(number):
                found[step.frame, statement.first].append(number)
        return dict(found)

    @cached_property
    def held(self) -> Mapping[tuple[int, str], list[tuple[int, np.ndarray]]]:
        """What each variable of each frame was set to, after which step; arguments, which it begins with, are left out."""
        found = defaultdict[tuple[int, str], list[tuple[int, np.ndarray]]](list)
        for number, step in enumerate(self.steps):
            if not self.begins(number):
                for name, value in step.values.items():
                    found[step.frame, name].append((number, value))
        return dict(found)

    def statement(self, number: int) -> Statement | None:
        """Return the statement of a step; none for the beginning of a call."""
        step = self.steps[number]
        return None if self.begins(number) else self._by_line.get((step.file, step.line))

    def begins(self, number: int) -> bool:
        """Whether a step is the beginning of a call."""
        return self.of_frame[self.steps[number].frame][0] == number

    def last_set(self, name: str, before: int) -> int | None:
        """Return the last step of the same frame, before another, that set a variable or changed what it holds."""
        return _last_before(self._set_at.get((self.steps[before].frame, name), []), before)

    def last_run(self, line: int, before: int) -> int | None:
        """Return the last step of the same frame, before another, that ran the statement which begins in some line."""
        return _last_before(self._ran_at.get((self.steps[before].frame, line), []), before)

    def is_head(self, number: int) -> bool:
        """Whether a step is the head of a loop or a condition."""
        statement = self.statement(number)
        return statement is not None and (self.steps[number].file, statement.first) in self._heads


def _last_before(numbers: list[int], before: int) -> int | None:
    at = bisect_left(numbers, before)
    return numbers[at - 1] if at else None


def following(request: Request, *, statements: bool) -> Request:
    """Return the request that makes the same call and tells its values on the way; with `statements` what these read and set."""
    args = (request.function, list(request.args), dict(request.kwargs), request.module, statements)
    return replace(
        request, function="value_trail", args=args, kwargs={}, module=None, harness=_HARNESS, keep_args=False
    )


def read_trail(value: Any) -> Trail | None:
    """Return the trail that a run told, or None where it is none or was cut off; what a child sends may have any form."""
    try:
        complete, table, functions, set_in, names, values, texts = value
        if complete is not True or len(table) > MOST_STEPS or len(values) > MOST_VALUES:
            return None
        if not all(isinstance(part, np.ndarray) for part in (table, set_in, *values)):
            return None
        held: dict[int, dict[str, np.ndarray]] = defaultdict(dict)
        for (number, name), array in zip(set_in.tolist(), values, strict=True):
            held[number][str(names[name])] = array
        of = [(str(name), str(file)) for name, file in functions]
        steps = tuple(
            Step(frame, caller, of[function][0], of[function][1], line, held[number])
            for number, (frame, caller, function, line) in enumerate(table.tolist())
        )
        statements = {str(file): tuple(map(_statement, known)) for file, known in texts.items()}
    except (ValueError, TypeError, IndexError, KeyError, AttributeError):
        return None
    sound = all(step.caller < number for number, step in enumerate(steps))
    return Trail(steps, statements) if steps and sound else None


def _statement(told: Any) -> Statement:
    first, last, reads, sets, touches, around = told
    if not (type(first) is type(last) is int and 0 < first <= last < first + MOST_LINES):
        raise ValueError("no lines")
    if any(len(part) > MOST_NAMES for part in (reads, sets, touches, around)):
        raise ValueError("no statement")
    reads, sets, touches = (tuple(map(str, part)) for part in (reads, sets, touches))
    return Statement(first, last, reads, sets, touches, tuple(map(int, around)))
