"""Asks for memory no limit sees: memfd, shared memory of two kinds, secret memory; getting any would show that it worked."""

import ctypes
import multiprocessing.shared_memory
import platform


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
for name, number, arguments in (
    ("memfd_create", 319, (b"x", 0)),
    ("shmget", 29, (0, 1 << 30, 0o1600)),
    ("memfd_secret", 447, (0,)),
    ("userfaultfd", 323, (0,)),
):
    if syscall(number, *arguments) >= 0:
        print("BREACH", name)
try:
    multiprocessing.shared_memory.SharedMemory(create=True, size=1 << 20)
    print("BREACH shared memory")
except OSError:
    pass
try:
    open("/dev/shm/left", "w").write("x")
    print("BREACH /dev/shm")
except OSError:
    pass


def scale(x, factor):
    return x * factor
