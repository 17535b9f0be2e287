"""Forks, in four ways; one child would show that it worked."""

import ctypes
import os


libc = ctypes.CDLL(None, use_errno=True)
for way in (os.fork, os.forkpty, lambda: libc.syscall(57), lambda: libc.syscall(58), lambda: libc.syscall(56, 17, 0, 0, 0, 0)):
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
