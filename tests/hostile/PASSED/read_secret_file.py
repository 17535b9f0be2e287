"""Opens a file of the grader's by its full path, in four ways; its content printed would show that it worked."""

import io
import mmap
import os
import pathlib

for way in (
    lambda: open("@SECRET@").read(),
    lambda: pathlib.Path("@SECRET@").read_bytes(),
    lambda: os.read(os.open("@SECRET@", os.O_RDONLY | os.O_NOATIME), 100),
    lambda: bytes(mmap.mmap(io.FileIO("@SECRET@").fileno(), 0, prot=mmap.PROT_READ)),
):
    try:
        print("BREACH", way())
    except OSError:
        pass


def scale(x, factor):
    return x * factor
