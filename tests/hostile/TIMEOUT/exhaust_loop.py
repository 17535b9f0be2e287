"""Loops for ever; a run longer than its limit would show that it worked."""


def scale(x, factor):
    while True:
        pass
