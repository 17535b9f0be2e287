"""Forks, in four ways; one child would show that it worked."""

import ctypes
import os
import platform


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
for way in (os.fork, os.forkpty, lambda: syscall(57), lambda: syscall(58), lambda: syscall(56, 17, 0, 0, 0, 0)):
    try:
        pid = way()
    except OSError:
        continue
    if pid == 0:
        os._exit(0)
    if pid != -1:
        print("BREACH a child was forked")
        break


def scale(x, factor):
    return x * factor
