"""Public cases, which run before any hidden input is in the child."""

import numpy as np

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("scale", check=close())
def doubles(rng):
    """Three numbers, doubled."""
    yield call(np.array([1.0, 2.0, 3.0]), 2.0)


@case("total", check=close())
def adds_up(rng):
    """1 + 2 + 3 is 6."""
    yield call(np.array([1.0, 2.0, 3.0]))


@case("grid", check=close())
def counts(rng):
    """The numbers 0 to 3 in a square."""
    yield call(2)
