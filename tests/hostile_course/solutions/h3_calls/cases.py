"""Hidden cases of exercises whose reference calls the others: with a student's answers, if those are wrong."""

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("size", check=close())
def any_size(rng):
    """The number of entries."""
    yield call(rng.normal(size=7))


@case("stride", check=close())
def any_stride(rng):
    """The first difference."""
    yield call(rng.normal(size=4))


@case("table", check=close())
def any_table(rng):
    """A row for each entry."""
    yield call(rng.normal(size=5))


@case("walk", check=close())
def any_walk(rng):
    """The first number at or past the end."""
    yield call(rng.random(size=3).cumsum(), 5.0)


@case("settle", check=close())
def any_start(rng):
    """How often the start can be halved."""
    yield call(rng.random(size=3) + 4.0)


@case("shares", check=close())
def any_shares(rng):
    """Shares of three rows in four."""
    yield call(rng.normal(size=(3, 2)), rng.normal(size=(4, 2)))


@case("mix", check=close())
def any_mix(rng):
    """Three mixtures of four rows."""
    yield call(rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 5)))
