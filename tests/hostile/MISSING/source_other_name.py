"""Spells the function in letters that look alike; a lookup that normalises more than Python would show that it worked."""


def scаle(x, factor):  # a Cyrillic letter
    return x * factor
