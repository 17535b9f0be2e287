"""Returns an integer of a million digits; points would show that it worked."""


def scale(x, factor):
    return 1 << 3_000_000
