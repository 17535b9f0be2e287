"""Asks for an array of eight gigabytes; getting it would show that it worked."""

import numpy as np


def scale(x, factor):
    print("BREACH", np.ones((1 << 30,)).sum())
