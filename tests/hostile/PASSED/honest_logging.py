"""Logs to the console and to a file."""

import logging

import numpy as np


logging.basicConfig(level=logging.DEBUG)
log = logging.getLogger(__name__)
log.addHandler(logging.FileHandler("log.txt"))


def scale(x, factor):
    log.warning("scaling by %s", factor)
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("as expected")
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
