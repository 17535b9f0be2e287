"""Imports inside its functions, some of it large."""

import numpy as np


def scale(x, factor):
    import decimal
    import fractions
    import json
    import sqlite3
    import unittest
    import xml.dom.minidom

    with sqlite3.connect(":memory:") as memory:
        (one,) = memory.execute("select 1").fetchone()
    memory.close()
    return np.array(json.loads(json.dumps(x.tolist()))) * factor * one


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
