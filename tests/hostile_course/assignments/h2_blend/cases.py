"""Public cases."""

import torch

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("blend", check=close())
def halfway(rng):
    """Halfway between 0 and 2 is 1."""
    yield call(torch.zeros(2), torch.full((2,), 2.0), 0.5)


@case("fit", check=close(names=("weight", "loss")))
def a_line(rng):
    """Points on y = 3x have weight 3 and loss 0."""
    x = torch.tensor([1.0, 2.0, 3.0])
    yield call(x, 3 * x)
