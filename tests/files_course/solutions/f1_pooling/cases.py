"""Hidden cases: drawn from the run's seed."""

from autograder.course.spec import call, case
from autograder.judge.checks import close, sums_to_one


@case("weights_of", check=close())
def large_scores(rng):
    """Scores of a few thousand do not overflow."""
    yield call(3000.0 + 2.0 * rng.normal(size=(3, 5)))


@case("weights_of", check=sums_to_one(axis=-1), keeps="a property of the right answer")
def weights_are_a_distribution(rng):
    """The weights of each row add up to one."""
    yield call(rng.normal(size=(4, 3)))


@case("pooled", check=close())
def values_of_any_shape(rng):
    """Random scores and values of any size are pooled as the reference does it."""
    yield call(rng.normal(size=(3, 5)), rng.normal(size=(5, 2)))
