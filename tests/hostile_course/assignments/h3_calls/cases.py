"""Public cases."""

import numpy as np

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("size", check=close())
def three_entries(rng):
    """Three numbers are three."""
    yield call(np.array([1.0, 2.0, 3.0]))


@case("stride", check=close())
def first_step(rng):
    """From 1 to 3 is a stride of 2."""
    yield call(np.array([1.0, 3.0, 4.0]))
