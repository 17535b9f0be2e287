"""Computes for hours in one C call, which holds Python's lock; a run longer than its limit would show that it worked."""


def scale(x, factor):
    return sum(range(10**13))
