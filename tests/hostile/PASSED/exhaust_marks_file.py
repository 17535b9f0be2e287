"""Punches holes into the file of marks, maps it, and tries to make it long in every way there is; a file of another size would show that it worked, where its size is sealed."""

import ctypes
import mmap
import os
import sys


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


libc = ctypes.CDLL(None)
SEALED = 16


def scale(x, factor):
    fd = channel()._marks
    is_file_in_memory = os.fstat(fd).st_nlink == 0 and os.fstat(fd).st_mode & 0o777 == 0o777
    for work in (
        lambda: libc.fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(4096)),
        lambda: libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(1 << 19)),
        lambda: os.ftruncate(fd, 0),
        lambda: os.posix_fallocate(fd, 0, 1 << 19),
        lambda: os.pwrite(fd, bytes(1 << 18), 1 << 18),
        lambda: mmap.mmap(fd, 4096).__setitem__(slice(0, 4096), bytes([255]) * 4096),
    ):
        try:
            work()
        except (OSError, ValueError):
            pass
    if is_file_in_memory and os.fstat(fd).st_size != SEALED:
        print("BREACH the file of marks has another size:", os.fstat(fd).st_size)
    return x * factor
