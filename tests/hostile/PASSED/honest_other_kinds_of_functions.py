"""Defines its functions as lambda, partial, cached and decorated ones and as a method."""

import functools

import numpy as np


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@logged
def multiply(factor, x):
    return x * factor


class Tools:
    @staticmethod
    def scale(x, factor):
        return functools.partial(multiply, factor)(x)


scale = Tools.scale
total = lambda x: float(np.sum(x))  # noqa: E731


@functools.lru_cache
def cached(n):
    return np.arange(float(n * n))


def grid(n):
    return cached(n).reshape(n, n)
