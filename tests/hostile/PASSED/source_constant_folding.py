"""Asks the compiler for a power with a billion digits; a compiler without a limit on time would show that it worked."""


BIG = ((7**7**7) % 10) if False else 3**(10**9)


def scale(x, factor):
    return x * factor
