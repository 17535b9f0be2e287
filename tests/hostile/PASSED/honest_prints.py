"""Prints a great deal, in colour and in every script, which costs nothing."""

import sys

import numpy as np


print("\x1b[31mstarting\x1b[0m", "\u202e", "<b>", "\N{SNOWMAN}" * 1000)


def scale(x, factor):
    print(x, factor, sep="\n", file=sys.stderr)
    print("BR" "EA" "KING news" * 20_000, flush=True)
    sys.stdout.buffer.write(b"\xff\xfe\x00")
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
