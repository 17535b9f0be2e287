"""Hidden cases: drawn from the run's seed, every dimension different from every other."""

from autograder.course.spec import call, case
from autograder.judge.checks import agree, close, untouched


@case("row_means", check=close(), weight=3)
def means_of_any_shape(rng):
    """Random rows give the same means as the reference, also with axes in front."""
    yield call(rng.normal(size=(3, 5)))
    yield call(rng.normal(size=(2, 3, 5)))


@case("center", check=close())
def centers_any_shape(rng):
    """Random rows are centered as the reference centers them."""
    yield call(rng.normal(size=(3, 5)) + 2.0)


@case("center", check=untouched())
def the_argument_stays(rng):
    """The array that is handed in can be used again."""
    yield call(rng.normal(size=(4, 3)) + 2.0)


@case("spread", check=close())
def spreads_of_any_shape(rng):
    """Random rows have the spread the reference gives them."""
    yield call(3.0 * rng.normal(size=(3, 5)))


@case("spread", check=agree(), keeps="a property of the right answer that every known mistake shares")
def moving_rows_keeps_their_spread(rng):
    """Adding one number to all entries does not change any spread."""
    x = rng.normal(size=(3, 5))
    yield call(x)
    yield call(x + 1.5)
