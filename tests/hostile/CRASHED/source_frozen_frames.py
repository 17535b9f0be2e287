"""Holds on to its tracebacks and raises the same exception again, so that they grow; a message that shows them all would show that it worked."""

try:
    raise ValueError("again")
except ValueError as error:
    kept = error


def scale(x, factor):
    for _ in range(5000):
        try:
            raise kept
        except ValueError:
            pass
    raise kept
