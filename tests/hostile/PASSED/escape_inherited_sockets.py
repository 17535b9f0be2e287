"""Talks on every inherited descriptor as if it were the zygote's control socket; a message that leaves would show that it worked."""

import ctypes
import os
import platform
import socket


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
for fd in range(64):
    for call in (44, 46):  # sendto, sendmsg
        if syscall(call, fd, b"run", 3, 0, 0, 0) >= 0:
            print("BREACH", fd)
    try:
        socket.socket(fileno=os.dup(fd)).send(b"run")
        print("BREACH", fd)
    except OSError:
        pass


def scale(x, factor):
    return x * factor
