"""Registers exit handlers and finalizers, collects garbage and uses weak references."""

import atexit
import gc
import weakref

import numpy as np


atexit.register(print, "bye")


class Node:
    def __init__(self):
        self.me = self

    def __del__(self):
        print("collected")


def scale(x, factor):
    node = Node()
    weakref.finalize(node, print, "final")
    del node
    gc.collect()
    return x * factor


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
