"""Asks for size and time of files it may not open; an answer would show that it worked, which is a named risk where it is one."""

import os

for path in ("@SOLUTION@", "@SECRET@"):
    try:
        print("BREACH metadata", os.stat(path).st_size)
    except OSError:
        pass
    if os.access(path, os.F_OK):
        print("BREACH metadata: it is there")


def scale(x, factor):
    return x * factor
