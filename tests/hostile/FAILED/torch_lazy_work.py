"""Returns a function that would do the work later, when no clock runs; points would show that it worked."""

import torch


def blend(a, b, t):
    return lambda: a + t * (b - a)
