"""Waits for input; a run that waits with it would show that it worked."""


def scale(x, factor):
    return x * float(input("factor? "))
