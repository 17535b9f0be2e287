"""The public case of b1_masked_softmax: small enough to follow by hand."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.spec import Call, call, case
from autograder.judge.checks import close


@case("masked_softmax", check=close())
def two_of_three_keys(_: np.random.Generator) -> Iterator[Call]:
    """Two equal scores share the weight; the third key is forbidden and gets exactly nothing."""
    yield call(torch.tensor([[0.0, 0.0, 5.0]]), torch.tensor([[True, True, False]]))
