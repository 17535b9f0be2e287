"""Raises with a text of fifty megabytes; a message that keeps it would show that it worked."""


def scale(x, factor):
    raise ValueError("x" * 50_000_000)
