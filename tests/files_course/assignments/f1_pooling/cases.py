"""Public cases: small enough to work out by hand."""

import numpy as np

from autograder.course.spec import call, case
from autograder.judge.checks import close

SCORES = np.log(np.array([[1.0, 3.0], [2.0, 2.0]]))


@case("weights_of", check=close())
def two_rows(rng):
    """The logarithms of 1 and 3 have the weights .25 and .75, and equal scores have .5 each."""
    yield call(SCORES)


@case("pooled", check=close())
def two_values(rng):
    """The values 4 and 8 have the means 7 and 6 by these weights."""
    yield call(SCORES, np.array([[4.0], [8.0]]))
