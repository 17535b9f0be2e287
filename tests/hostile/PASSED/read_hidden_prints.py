"""Prints every argument; a hidden one in anything a student may read would show that it worked."""

import sys


def scale(x, factor):
    print("the factor is", factor)
    print("the factor is", factor, file=sys.stderr)
    return x * factor
