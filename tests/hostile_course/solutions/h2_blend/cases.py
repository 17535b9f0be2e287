"""Hidden cases; what is to be fitted is never what was shown."""

import torch

from autograder.course.spec import call, case
from autograder.judge.checks import close


@case("blend", check=close())
def anywhere(rng):
    """Random tensors, a random place between."""
    yield call(
        torch.from_numpy(rng.normal(size=(2, 3))), torch.from_numpy(rng.normal(size=(2, 3))), float(rng.random())
    )


@case("fit", check=close(names=("weight", "loss")))
def noisy_points(rng):
    """The weight that fits best, and the loss that this very weight has."""
    x = torch.from_numpy(rng.normal(size=20)).float()
    yield call(x, -1.5 * x + torch.from_numpy(rng.normal(size=20)).float())
