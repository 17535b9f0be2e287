"""Imports what it may not use, and does not use it."""

import multiprocessing
import socket
import subprocess
import urllib.request

import numpy as np


def scale(x, factor):
    return x * factor


if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        print(pool.map(abs, [1]))
    urllib.request.urlopen("http://localhost")
    subprocess.run(["ls"])


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
