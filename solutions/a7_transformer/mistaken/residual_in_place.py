"""The student saves memory."""


def residual(x, f):
    return x.add_(f(x))
