"""Forgets the exponential in one exercise, and builds the next on it as it should, which is charged once."""

import numpy as np


def size(x):
    return len(x)


def stride(x):
    return x[1] - x[0]


def table(x):
    return np.stack([np.arange(len(x)), x], axis=1)


def walk(x, end):
    return x[0] + np.ceil((end - x[0]) / stride(x)) * stride(x)


def settle(x):
    count = 0
    while abs(stride(x)) >= 1 or x[0] >= 1:
        x, count = x / 2, count + 1
    return count


def shares(x, y):
    products = np.abs(x @ y.T)
    return products / products.sum(axis=-1, keepdims=True)


def mix(x, y, z):
    return shares(x, y) @ z


# total: 12
