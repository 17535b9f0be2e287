"""Adds instead of multiplying."""


def doubled(x):
    return x + x
