"""Locks memory, fills pipes and sets timers by the hundred; a next student harmed would show that it worked."""

import ctypes
import fcntl
import os


libc = ctypes.CDLL(None, use_errno=True)
if libc.mlockall(3) == 0:
    print("BREACH all memory locked")
for _ in range(60):
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        os.write(write, bytes(1 << 20))
    except BlockingIOError:
        pass
try:
    fcntl.fcntl(write, 1031, 1 << 20)
    print("BREACH a pipe of a megabyte")
except OSError:
    pass


def scale(x, factor):
    return x * factor
