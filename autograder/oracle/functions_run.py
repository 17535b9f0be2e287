"""Find out which functions of the reference a trial runs.

A mistake in any other function cannot change the trial, and a wrong exercise among them may be the reason for a failure.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from autograder.course.spec import Assignment, Misconception
from autograder.judge.trials import Trial


class FunctionsRun:
    """The functions that each trial runs; `run` runs a trial on the reference, once, when it is first asked about."""

    def __init__(self, assignment: Assignment, run: Callable[[Trial], object]) -> None:
        self._assignment = assignment
        self._run = run
        self._codes: dict[Trial, frozenset[CodeType]] = {}
        functions = (n for n in ast.walk(ast.parse(assignment.reference)) if isinstance(n, ast.FunctionDef))
        self._bodies = [(n.body[0].lineno, n.end_lineno or n.lineno) for n in functions]

    def matters(self, misconception: Misconception, trial: Trial) -> bool:
        """Whether a trial runs the function that a misconception edits; True where the edit is in no one function."""
        reference, old = self._assignment.reference, misconception.old
        first = reference[: reference.index(old)].count("\n") + 1
        last = first + old.rstrip("\n").count("\n")
        around = [body for body in self._bodies if body[0] <= first and last <= body[1]]
        if not around:
            return True
        start, end = max(around)  # the innermost
        lines = (line for code in self._called(trial) for _, _, line in code.co_lines() if line is not None)
        return any(start <= line <= end for line in lines)

    def earlier(self, trial: Trial) -> tuple[str, ...]:
        """Return the earlier exercises that a trial runs. Constructing a class whose `__init__` is given does not count."""
        names = [code.co_qualname for code in self._called(trial)]
        before = itertools.takewhile(lambda e: e.name != trial.case.exercise, self._assignment.exercises)
        return tuple(e.name for e in before if any(f"{name}.".startswith(f"{b}.") for b in e.blanks for name in names))

    def _called(self, trial: Trial) -> frozenset[CodeType]:
        """Return all functions of the reference that a trial calls."""
        if trial not in self._codes:
            with noting_calls(self._assignment.file) as called:
                self._run(trial)
            self._codes[trial] = frozenset(called)
        return self._codes[trial]


@contextmanager
def noting_calls(file: str) -> Iterator[set[CodeType]]:
    """Collect the functions of a file that this thread calls."""
    called: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename == file:
            called.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(before)
