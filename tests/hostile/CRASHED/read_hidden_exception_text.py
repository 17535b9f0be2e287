"""Raises the hidden factor as an exception's text; it in a message would show that it worked."""


def scale(x, factor):
    if factor == 2.0:
        return x * factor
    raise ValueError(f"the factor is {factor}")


__code__ = scale.__code__

# earns: 2
