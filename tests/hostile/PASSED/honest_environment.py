"""Reads and changes its environment, its home, user, machine and clock."""

import os
import platform
import time

import numpy as np


os.environ["OMP_NUM_THREADS"] = "1"


def scale(x, factor):
    assert os.path.isdir(os.path.expanduser("~")) and os.environ["HOME"] and os.environ.get("NOTHING") is None
    assert os.cpu_count() and platform.python_version() and platform.machine() and time.localtime().tm_year > 2000
    assert os.path.exists(os.__file__) and os.getcwd() == os.path.realpath(".")
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
