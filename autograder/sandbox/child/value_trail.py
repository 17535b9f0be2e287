"""Follow one call of a program: which statement ran, what it read and set, and what those values were.

It is run beside student code, on a public call that failed, and in the grader's process on correct solutions. What it tells of
student code is data to compare, no more: nothing rests on its being true.
"""

from __future__ import annotations

import contextlib
import math
import operator
import sys
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograder.sandbox.child.module_call import make_call
from autograder.sandbox.child.statements import statements_of
from autograder.sandbox.child.tree import array_of

MOST_STEPS = 3000
MOST_VALUES = 3000
MOST_BYTES = 4 << 20  # of all values together
MOST_WORK = 256 << 20  # bytes that are looked at to see what a statement changed
MOST_ENTRIES = 50_000  # of one value
MOST_PARTS = 200  # of a list
RETURN = "return"
NO_NUMBERS = np.empty(0)  # what a name is told to hold when it had numbers and has none any more
_SIMPLE = (int, float, bool, np.generic)


def value_trail(
    module: ModuleType,
    report: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    made: dict[str, Any] | None,
    statements: bool,
) -> list[Any]:
    """Make one call. Return whether all of it was followed, its steps, what was set in them, and what statements read and set.

    A step is a row [frame, the caller's step, number of the function, line]; of what was set there are rows [step, number of
    the name], and the values. Without `statements` these are left out.
    """
    del report
    found = operator.attrgetter(path)(module)
    watch = _Watch(vars(module))
    before = sys.gettrace()
    sys.settrace(watch.begin)
    try:
        with contextlib.suppress(BaseException):
            make_call(found, made, args, kwargs)
    finally:
        sys.settrace(before)
    return watch.told(statements=statements)


class _Frame:
    """One call of a function: the step that called it, the one that it is at, and what its variables held before."""

    def __init__(self, number: int, caller: int, function: int) -> None:
        self.number, self.caller, self.function = number, caller, function
        self.step = -1
        self.before: dict[str, _Content] = {}


class _Watch:
    """The steps of all functions of one module, within bounds."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._module = names  # by its names its functions are known
        self._complete = True
        self._steps: list[tuple[int, int, int, int]] = []
        self._functions: dict[tuple[str, str], int] = {}  # numbers by name and file
        self._set_in: list[tuple[int, int]] = []
        self._names: dict[str, int] = {}
        self._values: list[np.ndarray] = []
        self._open: list[_Frame] = []
        self._frames = self._told = self._work = 0

    def told(self, *, statements: bool) -> list[Any]:
        """Return all of it as data."""
        run: dict[str, set[int]] = {}
        for (_, file), number in self._functions.items():
            run.setdefault(file, set()).update(line for *_, of, line in self._steps if of == number)
        steps = np.array(self._steps, np.int64).reshape(-1, 4)
        set_in = np.array(self._set_in, np.int64).reshape(-1, 2)
        texts = {file: statements_of(file, lines) for file, lines in run.items()} if statements else {}
        return [self._complete, steps, list(self._functions), set_in, list(self._names), self._values, texts]

    def begin(self, frame: FrameType, _: str, __: Any) -> Any:
        """Follow a call of a function of the module; what has no name of its own is part of the statement around it."""
        code = frame.f_code
        if frame.f_globals is not self._module or code.co_name.startswith("<") or not self._complete:
            return None
        self._frames += 1
        of = self._functions.setdefault((code.co_qualname, code.co_filename), len(self._functions))
        mine = _Frame(self._frames, self._open[-1].step if self._open else -1, of)
        self._open.append(mine)

        def step(frame: FrameType, event: str, value: Any) -> Any:
            if not self._complete or not self._open or self._open[-1] is not mine:  # a generator comes and goes
                self._complete = False
                return None
            if event in ("line", "return"):
                self._note(frame, mine)
            if event == "line":
                self._add(mine, frame.f_lineno)
            elif event == "return":
                self._set(mine.step, RETURN, value)
                self._open.pop()
            return step

        self._add(mine, code.co_firstlineno)
        self._note(frame, mine)
        return step

    def _add(self, mine: _Frame, line: int) -> None:
        mine.step = len(self._steps)
        self._steps.append((mine.number, mine.caller, mine.function, line))
        self._complete &= len(self._steps) < MOST_STEPS

    def _note(self, frame: FrameType, mine: _Frame) -> None:
        """Add to a frame's last step what its statement changed, also in place."""
        for name, local in list(frame.f_locals.items()):
            # Most variables are as they were in most statements, so that is found out before any is copied as an array.
            content = _content(local)
            if content is None:
                if mine.before.pop(name, None) is not None:
                    self._set(mine.step, name, NO_NUMBERS)
                continue
            self._work += content.nbytes
            if mine.before.get(name) != content:
                mine.before[name] = content
                self._set(mine.step, name, local)
        self._complete &= self._work <= MOST_WORK

    def _set(self, step: int, name: str, value: Any) -> None:
        held = _held(value)
        if held is None:
            return
        self._told += held.nbytes
        self._complete &= self._told <= MOST_BYTES and len(self._values) < MOST_VALUES
        self._set_in.append((step, self._names.setdefault(name, len(self._names))))
        self._values.append(held)


class _Content(NamedTuple):
    """What a variable's numbers are known by, their shape, and how many bytes those are."""

    what: tuple[Any, ...]
    shape: tuple[int, ...]
    nbytes: int


def _content(value: Any) -> _Content | None:
    """Return what `_held` makes of a value, as something to compare; None where it makes nothing."""
    kind = type(value)
    if kind is float:
        return _Content((kind, value.hex()), (), 8)
    if kind is int or kind is bool:
        return _Content((kind, value), (), 8) if -(1 << 63) <= value < 1 << 64 else None
    if kind is list or kind is tuple:
        return _content_of_parts(value)
    held = value if kind is np.ndarray else _held(value)
    if held is None or held.dtype.kind not in "fiub" or held.size > MOST_ENTRIES:
        return None
    return _Content((held.dtype, held.tobytes()), held.shape, held.nbytes)


def _content_of_parts(parts: list[Any] | tuple[Any, ...]) -> _Content | None:
    found: list[_Content] = []
    for part in parts if len(parts) <= MOST_PARTS else ():
        content = _content(part)
        if content is None or (found and content.shape != found[0].shape):
            return None
        found.append(content)
    if not found or len(found) * math.prod(found[0].shape) > MOST_ENTRIES:
        return None
    return _Content(
        tuple(part.what for part in found), (len(found), *found[0].shape), sum(part.nbytes for part in found)
    )


def _held(value: Any) -> np.ndarray | None:
    """Return a copy of the numbers that a value holds, or None where it holds others things or too many."""
    with contextlib.suppress(Exception):
        if isinstance(value, list | tuple):
            parts = [_held(part) for part in value] if 0 < len(value) <= MOST_PARTS else [None]
            if any(part is None for part in parts) or len({part.shape for part in parts if part is not None}) > 1:
                return None
            held = np.stack([part for part in parts if part is not None])
        elif isinstance(value, _SIMPLE):
            held = np.array(value)
        else:
            found = array_of(value)
            if found is None or found.size > MOST_ENTRIES:
                return None
            held = np.array(found)
        return held if held.dtype.kind in "fiub" and held.size <= MOST_ENTRIES else None
    return None
