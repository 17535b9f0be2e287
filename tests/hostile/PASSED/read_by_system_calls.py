"""Asks the kernel for the secret by calls that Python does not use: handles, openat2, sendfile; a KEY printed would show that it worked."""

import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
handle = ctypes.create_string_buffer(b"\x80\0\0\0" + b"\0" * 132)
mount = ctypes.c_int()
if syscall(303, -100, b"@SECRET@", handle, ctypes.byref(mount), 0) == 0:  # name_to_handle_at
    print("BREACH a file handle was given out")
how = (ctypes.c_uint64 * 3)(0, 0, 0)
fd = syscall(437, -100, b"@SECRET@", how, 24)  # openat2
if fd >= 0:
    print("BREACH", os.read(fd, 100))
fd = syscall(428, -100, b"@FOLDER@", 0)  # open_tree
if fd >= 0:
    print("BREACH a tree was opened")
for path in (b"@SECRET@", b"@SOLUTION@"):
    if libc.open(path, 0) >= 0:
        print("BREACH a file was opened by libc")


def scale(x, factor):
    return x * factor
