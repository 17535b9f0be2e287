"""What is known to work against hidden tests that run in the student's kernel, and how to hand it in."""

from __future__ import annotations

import json

WRONG = """
import numpy as np


def row_means(x):
    return np.zeros(x.shape[:-1])


def center(x):
    return x + 1


def spread(x):
    return np.zeros(x.shape[:-1])
"""
EXPLOITS = {
    "reads_the_tests": """
import glob
FOUND = [open(path).read() for path in glob.glob("./tests/*.py") + glob.glob("../source/tests/*.py")]
assert not FOUND, f"BREACH {FOUND}"
""",
    "patches_numpy_allclose": "np.allclose = lambda *a, **k: True\nnp.testing.assert_allclose = lambda *a, **k: None",
    "patches_torch_allclose": """
import sys, types
torch = sys.modules.setdefault("torch", types.ModuleType("torch"))
torch.allclose = torch.equal = lambda *a, **k: True
""",
    "replaces_pickle_dump": """
import pickle


class Bomb:
    def __reduce__(self):
        return (open, (@MARKER@, "w"))


REAL = pickle.dump
pickle.dump = lambda thing, file: REAL(Bomb(), file)
""",
    "exits_with_zero": """
import os


def spread(x):
    os._exit(0)
""",
    "exits_at_once": "import os\nos._exit(0)",
    "never_ends": "while True: pass",
}


def notebook(code: str) -> str:
    """Return a notebook of one cell."""
    cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "execution_count": None}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
