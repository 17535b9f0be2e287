"""Calls sys.exit(0) in the middle of a case; points would show that it worked."""

import sys


def scale(x, factor):
    sys.exit(0)
