"""Hidden cases. Attacks that leak their inputs are caught by the number 8128.25, which stands nowhere else."""

import numpy as np

from autograder.course.spec import call, case
from autograder.judge.checks import close, untouched


@case("scale", check=close())
def any_numbers(rng):
    """Random numbers and a factor nobody guesses."""
    yield call(rng.normal(size=(3, 4)), 8128.25)
    yield call(rng.normal(size=(2, 2)), float(rng.normal()))


@case("scale", check=untouched())
def leaves_its_input_alone(rng):
    """The input is the same afterwards."""
    yield call(rng.normal(size=5), 0.5)


@case("total", check=close())
def any_sum(rng):
    """Random numbers add up."""
    yield call(rng.normal(size=(3, 4)))


@case("grid", check=close())
def nearly_a_megabyte(rng):
    """A square of 340 by 340 numbers, close to the limit on output."""
    yield call(340)
