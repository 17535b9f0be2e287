"""Empties files by their paths alone, which older kernels' Landlock does not see; the marker emptied would show that it worked."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for path in ("@MARKER@/keep", "@SECRET@"):
    try:
        os.truncate(path, 0)
        print("BREACH", path)
    except OSError:
        pass
    if libc.truncate64(path.encode(), ctypes.c_long(0)) == 0:
        print("BREACH", path)


def scale(x, factor):
    return x * factor
