"""Blend two tensors; fit a line through the origin."""

import torch


def blend(a, b, t):
    """Return the point a share `t` of the way from `a` to `b`."""
    # BEGIN SOLUTION
    return a + t * (b - a)
    # END SOLUTION


def fit(x, y):
    """Return the weight w that makes mean((w x - y)^2) smallest, and that mean, both as tensors without axes."""
    # BEGIN SOLUTION
    weight = (x * y).sum() / (x * x).sum()
    return weight, ((weight * x - y) ** 2).mean()
    # END SOLUTION
