"""The values that correct solutions have on the way to public answers, as a handout's data have them.

Names of variables are part of a solution. So a handout has a number of each, which many names share. Whole numbers in a row may be the
answer to a hidden case, such as ids. So they are written as fractions, and what counts here as letters.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.judge.right_values import ROOT, RightValues, Variable, numbers_given
from autograder.judge.tolerance import TOLERANCE
from autograder.judge.trials import Trial

NUMBERS = 1 << 16  # of names
_PART = 0.318  # of one, which is added to whole numbers
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_DIGITS = str.maketrans("ghijklmnop", "0123456789")


def number_of(name: str) -> str:
    """Return the number of a variable's name."""
    return str(zlib.crc32(name.encode()) % NUMBERS)


def describe_values(values: RightValues, arrays: dict[str, np.ndarray]) -> list[Any]:
    """Return the values of one call as JSON data, of solutions that have the same ones once; adds their numbers to `arrays`."""
    names: dict[tuple[object, ...], str] = {}
    found: dict[tuple[Any, ...], list[str]] = {}
    for variable, known in values.settings.items():
        places = []
        for part in _stacked(known):
            key = (part.dtype.str, part.shape, part.tobytes())
            if key not in names:
                names[key] = f"v{_letters(len(arrays))}"
                arrays[names[key]] = part
            places.append(names[key])
        of = variable.frame == ROOT, values.is_own(variable.function), number_of(variable.name)
        goes_on = "".join("y" if each else "n" for each in values.goes_on[variable])
        found.setdefault((*of, " ".join(places), goes_on), []).append(_letters(variable.solution))
    return [[" ".join(solutions), *described] for described, solutions in found.items()]


def _stacked(known: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Yield what a variable held one after the other, as arrays of all that have one shape and kind.

    Fractions take half their size: solutions that differ by rounding alone have the same ones then. Whole numbers become fractions.
    """
    for (kind, _), parts in itertools.groupby(known, lambda value: (value.dtype.kind, value.shape)):
        whole = np.stack(list(parts))
        with np.errstate(over="ignore", invalid="ignore"):
            yield whole.astype(np.float32) if kind == "f" else whole + _PART


def _letters(number: int) -> str:
    return f"{number:x}".translate(_LETTERS)


def read_values(described: list[Any], arrays: Mapping[str, np.ndarray], trial: Trial, call: int) -> RightValues:
    """Return the values of one call of a trial, as `describe_values` described them."""
    request = trial.requests[call]
    settings, goes_on = dict[Variable, list[np.ndarray]](), dict[Variable, list[bool]]()
    for solutions, is_root, is_own, name, places, further in described:
        held = [np.asarray(value) for place in places.split() for value in _read(arrays[place])]
        for solution in solutions.split():
            frame = ROOT if is_root else len(settings) + 1
            number = int(solution.translate(_DIGITS), 16)
            variable = Variable(number, frame, request.function if is_own else "", name)
            settings[variable], goes_on[variable] = held, [each == "y" for each in further]
    tolerance = float(getattr(trial.case.check, "tolerance", TOLERANCE))
    return RightValues(request.function, numbers_given(request), tolerance, settings, goes_on, number_of)


def _read(stacked: np.ndarray) -> np.ndarray:
    return stacked if stacked.dtype == np.float32 else np.rint(stacked - _PART).astype(np.int64)
