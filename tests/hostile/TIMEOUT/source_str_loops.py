"""Raises an exception whose text takes for ever; a run longer than its limit would show that it worked."""


class Bad(Exception):
    def __str__(self):
        while True:
            pass


def scale(x, factor):
    raise Bad
