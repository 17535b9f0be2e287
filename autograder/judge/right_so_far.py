"""Tell an answer that is a right value on the way, or several: who is in the middle of the work often returns one, to see whether it is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.course.spec import Visibility
from autograder.judge.outcomes_alike import values_alike
from autograder.judge.reasons import Relation
from autograder.judge.relations import MOST, are_enough
from autograder.judge.right_values import are_alike
from autograder.judge.trials import Judged, Knowledge
from autograder.sandbox.child.tree import array_of
from autograder.sandbox.job import Outcome

ON_THE_WAY, ALL_ON_THE_WAY = "on_the_way", "all_on_the_way"  # the relations; which value it is no one is told
RIGHT_SO_FAR = (ON_THE_WAY, ALL_ON_THE_WAY)
MOST_ARRAYS = 4  # of an answer that are looked at


def right_so_far(oracle: Knowledge, exercise: str, judged: Sequence[Judged]) -> Relation | None:
    """Return that all wrong public calls of an exercise gave the same right values on the way, one or several, or None."""
    with np.errstate(all="ignore"):  # what is wrong may be infinite
        return _right_so_far(oracle, exercise, judged)


def _right_so_far(oracle: Knowledge, exercise: str, judged: Sequence[Judged]) -> Relation | None:
    public = (j for j in judged if j.finding and j.trial.case.visibility is Visibility.PUBLIC and not j.trial.is_large)
    keys: list[set[object]] = []  # of each array that calls give, of the values that it is in all of them
    numbers: set[tuple[str, float]] = set()
    for j in sorted(public, key=lambda j: j.trial.cost):  # most answers are none, as the first case shows
        for call, (mine, right) in enumerate(zip(j.outcomes, oracle.expected(j.trial), strict=True)):
            if values_alike(mine.value, right.value):
                continue
            got = _arrays_in(mine)
            known = oracle.right_values(j.trial, call) if got else None
            if not known or (keys and len(keys) != len(got)):
                return None
            values = list(known.on_the_way(j.trial.requests[call]))
            same = [{key for key, value in values if are_alike(array, value)} for array in got]
            keys = [a & b for a, b in zip(keys or same, same, strict=True)]
            if not all(keys):
                return None
            numbers |= {("", float(f"{number:.5g}")) for array in got for number in array.ravel()[:MOST] if number}
    return Relation(exercise, (ON_THE_WAY if len(keys) == 1 else ALL_ON_THE_WAY,)) if are_enough(numbers) else None


def _arrays_in(outcome: Outcome) -> list[np.ndarray]:
    """Return the fractions that a call gave as one array, or as several; without axes of length one, of a module without gradients."""
    value: Any = outcome.value.get("output") if isinstance(outcome.value, dict) else outcome.value
    several = isinstance(value, tuple | list) and 1 < len(value) <= MOST_ARRAYS
    found = [array_of(part) for part in (value if several else [value])]
    fractions = [np.squeeze(array) for array in found if array is not None and array.dtype.kind == "f"]
    return fractions if len(fractions) == len(found) else []
