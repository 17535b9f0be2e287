"""Returns the right bytes, without a shape; points would show that it worked."""


def scale(x, factor):
    return (x * factor).tobytes()
