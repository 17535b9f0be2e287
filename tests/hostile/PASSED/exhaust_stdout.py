"""Prints thirty megabytes while being right; a lost point, or a log that keeps it all, would show that it worked."""

import sys


def scale(x, factor):
    for _ in range(150):
        sys.stdout.write("x" * 50_000)
        sys.stderr.write("y" * 50_000)
    return x * factor
