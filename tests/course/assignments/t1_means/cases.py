"""Public cases: two rows, small enough to work out by hand."""

import numpy as np

from autograder.course.spec import call, case
from autograder.judge.checks import close

ROWS = np.array([[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]])


@case("row_means", check=close())
def two_rows(rng):
    """The rows 1 2 6 and 4 5 9 have the means 3 and 6."""
    yield call(ROWS)


@case("center", check=close())
def two_rows_centered(rng):
    """Without their means the two rows are -2 -1 3 and -2 -1 3."""
    yield call(ROWS)


@case("spread", check=close())
def two_spreads(rng):
    """Both rows have the spread sqrt(14 / 3)."""
    yield call(ROWS)
