"""Looks for what an earlier submission left in modules, environment and scratch; anything found would show that it worked."""

import builtins
import os
import random
import sys
import tempfile

import numpy as np

found = [n for n in dir(builtins) + dir(np) + list(sys.modules) + list(os.environ) if n.lower().startswith("left_by") or n == "LEFT"]
found += os.listdir(".") + os.listdir(tempfile.gettempdir())
if found:
    print("BREACH", found)


def scale(x, factor):
    return x * factor
