"""Whether the numbers in public claims are true: each occurs in the case's call, or while the reference runs on it.

Decimals are looked for, as .7241 and 3.5, to the digits that are written; a logarithm counts as the number it is of. Words
say what is not on the way.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Visibility
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import run_requests
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import Code, Tensor

_DECIMAL = re.compile(r"(?<![\w.])-?\d*\.\d+(?![\w.]*\d)")
_LARGEST = 100_000  # numbers of one array that are looked at


def false_numbers(assignment: Assignment, oracle: Oracle) -> Iterator[str]:
    """Yield the numbers in public claims that are neither in the call nor computed in it."""
    for trial in oracle.trials:
        told = _DECIMAL.findall(trial.case.claim) if trial.case.visibility is Visibility.PUBLIC else []
        if not told:
            continue
        seen = np.array(list(_numbers_of(assignment, trial)))
        with np.errstate(over="ignore"):
            seen = np.abs(np.concatenate([seen, np.exp(seen)]))
        for text in told:
            half = 0.5 * 10.0 ** -len(text.partition(".")[2])
            if not np.any(np.abs(seen - abs(float(text))) <= half * 1.001):
                name = f"{trial.case.exercise}.{trial.case.name}"
                yield f"{name} says {text}, which is neither in its call nor computed by the reference on the way"


def _numbers_of(assignment: Assignment, trial: Trial) -> Iterator[float]:
    """Yield the numbers of a trial's calls, and of every variable of the reference while it answers them."""
    found: list[float] = []

    def look(frame: Any, event: str, value: Any) -> None:
        if event == "return" and frame.f_code.co_filename == assignment.file:
            found.extend(_numbers([value, *frame.f_locals.values()]))

    program = Program("watched", notebook=False)
    exec(compile(assignment.reference, assignment.file, "exec", dont_inherit=True), vars(program.module))  # noqa: S102 (the course's own)
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        outcomes = run_requests(program, trial.requests)
    finally:
        sys.setprofile(before)
    yield from found
    yield from _numbers([outcome.value for outcome in outcomes])
    yield from _numbers([[*call.args, *call.kwargs.values()] for call in trial.calls])
    modules = [call.module for call in trial.calls if call.module]
    yield from _numbers([[module.init, dict(module.state), module.cotangents] for module in modules])


def _numbers(tree: Any) -> Iterator[float]:
    match tree:
        case list() | tuple():
            for part in tree:
                yield from _numbers(part)
        case dict():
            yield from _numbers(list(tree.values()))
        case Tensor(array):
            yield from _numbers(array)
        case Code(expression):
            yield from map(float, re.findall(r"(?<![\w.])\d*\.?\d+", expression))
        case bool():
            pass
        case int() | float() | np.number():
            yield float(tree)
        case np.ndarray() if tree.dtype.kind in "fiu":
            yield from map(float, tree.ravel()[:_LARGEST])
        case _ if hasattr(tree, "detach") and hasattr(tree, "numpy"):
            yield from _numbers(tree.detach().numpy())
