"""The public cases."""

import torch

from autograder.course.spec import Module, call, call_module, case
from autograder.judge.checks import close

ONES = {"weight": torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "bias": torch.tensor([1.0, -1.0, 0.5])}


@case("doubled", check=close())
def three_numbers(rng):
    """One, two and three are doubled."""
    yield call(torch.tensor([1.0, 2.0, 3.0]))


@case("Affine", check=close())
def one_row(rng):
    """The row (1, -1) is mapped."""
    yield call_module(torch.tensor([[1.0, -1.0]]), module=Module((2, 3), ONES))


@case("Chain", check=close())
def a_short_chain(rng):
    """The row (1, -1) goes through both maps."""
    second = {"second.weight": torch.tensor([[1.0, -2.0, 3.0]]), "second.bias": torch.tensor([0.25])}
    first = {f"first.{name}": value for name, value in ONES.items()}
    yield call_module(torch.tensor([[1.0, -1.0]]), module=Module((2, 3, 1), first | second))
