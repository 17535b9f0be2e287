"""Leaves modules and bytecode named like numpy, json and its own in scratch and on the path; the next student importing one would show that it worked."""

import builtins
import os
import py_compile
import random
import sys
import tempfile

import numpy as np


for name in ("numpy", "json", "scale", "tempfile", "sitecustomize", "left_by_module"):
    try:
        with open(f"{name}.py", "w") as file:
            file.write("print('BREACH imported')")
        py_compile.compile(f"{name}.py", doraise=True)
    except (OSError, py_compile.PyCompileError):
        pass
os.environ["LEFT"] = "1"
os.environ["PYTHONPATH"] = "."
sys.path.insert(0, ".")
sys.modules["left_by_attack"] = sys
builtins.left_by_attack = np.left_by_attack = 1
np.sum = lambda *args, **kwargs: 0.0
random.seed(0)
tempfile.tempdir = "/nowhere"


def scale(x, factor):
    return x * factor
