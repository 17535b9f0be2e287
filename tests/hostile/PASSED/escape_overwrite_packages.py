"""Writes into installed packages, their caches and start-up files; a byte written would show that it worked."""

import os
import sys

import numpy as np


folders = [os.path.dirname(np.__file__), os.path.dirname(os.__file__), *sys.path, sys.prefix, "/grader", "/usr/lib"]
for folder in folders:
    for name in ("left_by_attack.py", "sitecustomize.py", "usercustomize.py", "left.pth", "__pycache__/left.pyc"):
        try:
            fd = os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            os.close(fd)
            os.unlink(os.path.join(folder, name))
            print("BREACH", folder, name)
        except OSError:
            pass
for path in (np.__file__, os.__file__, sys.executable):
    try:
        os.close(os.open(path, os.O_RDWR))
        print("BREACH", path)
    except OSError:
        pass


def scale(x, factor):
    return x * factor
