"""The public case."""

import torch

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("doubled", check=close())
def three_numbers(rng):
    """The numbers 1, 2, 3 become 2, 4, 6."""
    yield call(torch.tensor([1.0, 2.0, 3.0]))
