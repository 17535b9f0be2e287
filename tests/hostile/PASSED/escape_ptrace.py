"""Traces, reads and writes the memory of other processes; leave to do so would show that it worked."""

import ctypes
import os
import platform


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
buffer = ctypes.create_string_buffer(16)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 16)
for pid in (int("@VICTIM@"), int("@GRADER@"), os.getppid(), 1):
    for name, number, arguments in (
        ("ptrace attach", 101, (16, pid, 0, 0)),
        ("ptrace seize", 101, (0x4206, pid, 0, 0)),
        ("process_vm_readv", 310, (pid, vector, 1, vector, 1, 0)),
        ("process_vm_writev", 311, (pid, vector, 1, vector, 1, 0)),
        ("kcmp", 312, (pid, os.getpid(), 0, 0, 0)),
        ("pidfd_open", 434, (pid, 0)),
    ):
        if syscall(number, *arguments) >= 0:
            print("BREACH", name, pid)


def scale(x, factor):
    return x * factor
