"""Keeps its work in dataclasses, enums, named tuples and properties."""

import collections
import copy
import dataclasses
import enum

import numpy as np


class Way(enum.Enum):
    UP = 1


@dataclasses.dataclass(order=True, slots=True)
class Scaler:
    factor: float
    way: Way = Way.UP
    history: list = dataclasses.field(default_factory=list)

    def __call__(self, x):
        self.history.append(x)
        return x * self.factor


Pair = collections.namedtuple("Pair", "x factor")


def scale(x, factor):
    pair = Pair(x, factor)
    return Scaler(pair.factor)(copy.deepcopy(pair.x))


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
