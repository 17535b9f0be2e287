"""Grows lists without end; more memory than its limit would show that it worked."""


def scale(x, factor):
    kept = []
    while True:
        kept.append([0] * 10_000_000)
