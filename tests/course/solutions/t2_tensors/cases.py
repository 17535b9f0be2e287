"""The hidden cases."""

import torch

from autograder.course.spec import Module, call, call_module, case
from autograder.judge.checks import close


def _normal(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape)).float()


@case("doubled", check=close())
def any_numbers(rng):
    """Random numbers are doubled, too."""
    yield call(torch.from_numpy(rng.normal(size=(2, 3))))


def _affine(rng, cotangents=()):
    state = {"weight": _normal(rng, 4, 3), "bias": _normal(rng, 4)}
    return call_module(_normal(rng, 2, 3), module=Module((3, 4), state, cotangents=cotangents))


@case("Affine", check=close())
def any_map(rng):
    """Random weights give the reference's output."""
    yield _affine(rng)


@case("Affine", check=close(at=("param_grads", "bias")))
def the_bias_learns(rng):
    """The bias gets its gradient."""
    yield _affine(rng, (_normal(rng, 2, 4),))


@case("Chain", check=close())
def any_chain(rng):
    """Random weights give the reference's output."""
    first = {"first.weight": _normal(rng, 4, 3), "first.bias": _normal(rng, 4)}
    second = {"second.weight": _normal(rng, 5, 4), "second.bias": _normal(rng, 5)}
    yield call_module(_normal(rng, 2, 3), module=Module((3, 4, 5), first | second))
