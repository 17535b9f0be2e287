"""The right values on the way to an answer: who is in the middle of the work often returns one, to see whether it is right so far.

They are what the reference and the other correct solutions keep in variables of the function that is called. Of a value it is
told that it is one of them, and not which.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np

from autograder.judge.tolerance import TOLERANCE, deviation
from autograder.judge.trials import Trial
from autograder.oracle.correct_trails import correct_trails, given_to
from autograder.oracle.reference import Reference
from autograder.oracle.right_values import plain
from autograder.oracle.value_trails import Trail
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.value_trail import RETURN
from autograder.sandbox.job import Request

# What leaves memory as it was: numbers of another call may stand in it, of a hidden case or of another student.
_UNFILLED = re.compile(r"\b(?:empty|empty_like|new_empty|ndarray|Tensor)\(")
MOST_SOLUTIONS = 4  # that are followed: the reference and those first in order
MOST_SETTINGS = 3  # of one variable that are looked at
MOST_ENTRIES = 1000  # of a value


def on_the_way(oracle: Reference, trial: Trial) -> tuple[Mapping[str, np.ndarray], ...]:
    """Return the values of each call of a trial; `judge.trials.Knowledge.on_the_way` is the contract."""

    def made() -> tuple[Mapping[str, np.ndarray], ...]:
        with np.errstate(all="ignore"):  # scores before their mask may be infinite
            return tuple(dict(_values(oracle, request)) for request in trial.requests)

    return oracle.kept(("values on the way", trial), made)


def _values(oracle: Reference, request: Request) -> Iterator[tuple[str, np.ndarray]]:
    given = list(map(plain, given_to(request)))
    for program, trail in islice(correct_trails(oracle, request), MOST_SOLUTIONS):
        if _leaves_memory(program, trail):
            continue
        for (frame, name), held in trail.held.items():
            for time, (_, value) in enumerate(held[:MOST_SETTINGS] if frame == trail.root and name != RETURN else ()):
                array = plain(value)
                if _says_something(array) and not _is_one_of(array, given):
                    yield f"{zlib.crc32(f'{program.module.__name__}.{name}.{time}'.encode()):x}", array


def _leaves_memory(program: Program, trail: Trail) -> bool:
    """Whether a function that ran makes an array without filling it; constructors fill theirs at once."""
    for numbers in trail.of_frame.values():
        steps = [trail.steps[number] for number in numbers]
        lines = program.texts.get(steps[0].file, "").splitlines()[
            min(s.line for s in steps) : max(s.line for s in steps)
        ]
        if not steps[0].function.endswith("__init__") and _UNFILLED.search("\n".join(lines)):
            return True
    return False


def _says_something(array: np.ndarray) -> bool:
    """Whether a value holds fractions, and is not what an array is filled with before it is set."""
    told = array.dtype.kind == "f" and 0 < array.size <= MOST_ENTRIES
    return told and (array.size == 1 or bool(np.ptp(array) > 0))


def _is_one_of(array: np.ndarray, others: list[np.ndarray]) -> bool:
    return any(array.shape == other.shape and deviation(array, other) <= TOLERANCE for other in others)
