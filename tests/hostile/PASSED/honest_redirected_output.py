"""Redirects its own standard output and reads it back."""

import contextlib
import io
import sys

import numpy as np


def scale(x, factor):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        print(factor)
    assert float(said.getvalue()) == factor
    sys.stdout = io.StringIO()
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
