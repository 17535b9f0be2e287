"""Raises a chain of ten thousand exceptions with long names; a message that shows them would show that it worked."""


def scale(x, factor):
    error, kind = None, type("E" * 100_000, (Exception,), {})
    for number in range(10_000):
        fresh = kind(number)
        fresh.__cause__, error = error, fresh
    raise error
