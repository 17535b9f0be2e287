"""Signals the victim, its parent, its own group and everybody (with signal 0, which only asks); the victim gone, or leave to signal, would show that it worked."""

import ctypes
import os
import platform
import signal


for pid, number in ((int("@VICTIM@"), signal.SIGKILL), (os.getppid(), 0), (-1, 0), (0, 0), (int("@GRADER@"), 0), (1, 0)):
    try:
        os.kill(pid, number)
        print("BREACH", pid)
    except OSError:
        pass
libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
pid = int("@VICTIM@")
for number, arguments in ((200, (pid, 9)), (234, (pid, pid, 9)), (129, (pid, 9, 0)), (297, (pid, pid, 9, 0)), (434, (pid, 0))):
    if syscall(number, *arguments) >= 0:
        print("BREACH call", number)


def scale(x, factor):
    return x * factor
