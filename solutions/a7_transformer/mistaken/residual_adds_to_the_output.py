"""The student reuses the name x."""


def residual(x, f):
    for _ in range(1):
        x = f(x)
    return sum([x, f(x)])
