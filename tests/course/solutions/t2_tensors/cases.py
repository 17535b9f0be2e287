"""The hidden case."""

import torch

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("doubled", check=close())
def any_numbers(rng):
    """Random numbers are doubled, too."""
    yield call(torch.from_numpy(rng.normal(size=(2, 3))))
