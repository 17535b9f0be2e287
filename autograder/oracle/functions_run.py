"""Find out which functions of the reference a trial runs.

A mistake in any other function cannot change the trial, and a wrong exercise among them may be the reason for a failure.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

from autograder.course.spec import Assignment, Exercise, Misconception
from autograder.judge.trials import Trial
from autograder.oracle.step_limit import counting_steps
from autograder.sandbox.child.parse import parse

Body = tuple[int, int]  # the first and the last line of a function's
Calls = frozenset[tuple[CodeType | None, CodeType]]  # which function called which; None for what is no reference's
_STEPLESS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # code with a frame of its own that takes no steps


class FunctionsRun:
    """The functions that each trial runs; `run` runs a trial on the reference, once, when it is first asked about."""

    def __init__(self, assignment: Assignment, run: Callable[[Trial], object]) -> None:
        self._assignment = assignment
        self._run = run
        self._calls: dict[Trial, Calls] = {}
        self._bodies_run: dict[Trial, frozenset[Body]] = {}
        self._edited: dict[str, Body | None] = {}
        functions = (n for n in ast.walk(parse(assignment.reference)) if isinstance(n, ast.FunctionDef))
        self._bodies = [(n.body[0].lineno, n.end_lineno or n.lineno) for n in functions]

    def matters(self, misconception: Misconception, trial: Trial) -> bool:
        """Whether a trial runs the function that a misconception edits; True where the edit is in no one function."""
        edited = self.body_around(misconception)
        return edited is None or edited in self._bodies_in(trial)

    def body_around(self, misconception: Misconception) -> Body | None:
        """Return the innermost function body around an edit, or None where no one holds all of it."""
        if misconception.name not in self._edited:
            self._edited[misconception.name] = self._found_around(misconception)
        return self._edited[misconception.name]

    def _found_around(self, misconception: Misconception) -> Body | None:
        reference, old = self._assignment.reference, misconception.old
        first = reference[: reference.index(old)].count("\n") + 1
        last = first + old.rstrip("\n").count("\n")
        return max((body for body in self._bodies if body[0] <= first and last <= body[1]), default=None)

    def _bodies_in(self, trial: Trial) -> frozenset[Body]:
        """Return the function bodies that a trial runs."""
        if trial not in self._bodies_run:
            self._bodies_run[trial] = self.bodies_of(self.calls(trial))
        return self._bodies_run[trial]

    def bodies_of(self, calls: Iterable[tuple[CodeType | None, CodeType]]) -> frozenset[Body]:
        """Return the bodies of the functions that are called."""
        lines = {line for _, code in calls for _, _, line in code.co_lines()}
        return frozenset((start, end) for start, end in self._bodies if not lines.isdisjoint(range(start, end + 1)))

    def calls(self, trial: Trial) -> Calls:
        """Return all calls of functions of the reference in a trial."""
        if trial not in self._calls:
            with noting_calls(self._assignment.file) as calls:
                self._run(trial)
            self._calls[trial] = frozenset(calls)
        return self._calls[trial]


def used_in(calls: Calls, exercise: Exercise, exercises: Collection[Exercise]) -> frozenset[str]:
    """Return the other exercises that the code of one calls, itself or through what is no exercise's.

    Constructing a class whose `__init__` is given does not count.
    """
    owners = {code: _owner(code, exercises) for _, code in calls}
    callers: list[CodeType | None] = [None, *(code for code, owner in owners.items() if owner == exercise.name)]
    used = set()
    for caller in callers:  # grows meanwhile
        for code in (called for by, called in calls if by == caller and called not in callers):
            if owners[code]:
                used.add(owners[code])
            else:
                callers.append(code)
    return frozenset(used)


def _owner(code: CodeType, exercises: Collection[Exercise]) -> str:
    """Return the exercise that a function of the reference belongs to, or nothing."""
    names = (e.name for e in exercises if any(f"{code.co_qualname}.".startswith(f"{blank}.") for blank in e.blanks))
    return next(names, "")


@contextmanager
def noting_calls(file: str) -> Iterator[set[tuple[CodeType | None, CodeType]]]:
    """Note the calls of a file's functions in this thread, each with the function of the file that it comes from."""
    calls: set[tuple[CodeType | None, CodeType]] = set()

    def note() -> None:
        called: FrameType | None = sys._getframe(2)  # noqa: SLF001 (the code that takes the step)
        while called and called.f_code.co_filename == file:
            caller = called.f_back
            while caller and caller.f_code.co_filename != file:
                caller = caller.f_back
            calls.add((caller.f_code if caller else None, called.f_code))
            called = caller if caller and caller.f_code.co_name in _STEPLESS else None

    with counting_steps(note):
        yield calls
