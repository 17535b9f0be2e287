"""Returns what has a type's name of a megabyte, in a dict with keys of a megabyte; a message that shows them would show that it worked."""


def scale(x, factor):
    return {"k" * 400_000: type("T" * 1_000_000, (), {})()}
