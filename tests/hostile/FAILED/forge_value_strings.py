"""Returns numbers as strings; points would show that it worked."""


def scale(x, factor):
    return (x * factor).astype(str)
