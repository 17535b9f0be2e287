"""Hidden cases of b1_masked_softmax: random scores, and scores that overflow."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.spec import Call, call, case
from autograder.judge.checks import close


def _scores(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.normal(size=shape))


def _mask(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Draw a mask in which every row allows a key and forbids one."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = True
    mask[..., -1] = False
    return torch.from_numpy(rng.permuted(mask, axis=-1))


@case("masked_softmax", check=close())
def rows_of_any_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Every row is shared out among its allowed keys, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(_scores(rng, *leading, 4, 6), _mask(rng, *leading, 4, 6))


@case("masked_softmax", check=close())
def large_scores_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Scores near 1000 and near -1000, in rows of their own, give ordinary shares."""
    yield call(_scores(rng, 2, 6) + torch.tensor([[1000.0], [-1000.0]]), _mask(rng, 2, 6))
