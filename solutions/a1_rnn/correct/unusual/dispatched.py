"""One function for each kind of argument, chosen by singledispatch, and signatures for the type checker."""

from functools import singledispatch
from numbers import Real
from typing import overload


@singledispatch
def total(x):
    raise TypeError(type(x))


@total.register
def _(x: np.ndarray) -> float:
    return sum(map(total, x.tolist()))


@total.register(Real)
def _(x):
    return x


@overload
def perplexity(nll: float, n: int) -> float: ...


@overload
def perplexity(nll: np.ndarray, n: np.ndarray) -> float: ...


def perplexity(nll, n):
    return np.e ** (total(nll) / total(n))


@overload
def bits_per_char(nll: float, n: int) -> float: ...


def bits_per_char(nll, n):
    return np.array(np.log2(perplexity(nll, n)))
