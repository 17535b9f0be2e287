"""Asks for memory no limit sees: memfd, shared memory of four kinds, stacks that grow, secret memory; getting any would show that it worked."""

import ctypes
import mmap
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
MAP_GROWSDOWN = 0x100
for name, flags in (("anonymous", mmap.MAP_SHARED), ("stack", mmap.MAP_PRIVATE | MAP_GROWSDOWN)):
    try:
        mmap.mmap(-1, 1 << 20, flags=flags | mmap.MAP_ANONYMOUS)
        print("BREACH", name)
    except OSError:
        pass
for mode, protection in (("rb", mmap.PROT_READ), ("r+b", mmap.PROT_READ | mmap.PROT_WRITE)):
    try:
        with open("/dev/zero", mode) as zeros:
            mmap.mmap(zeros.fileno(), 1 << 20, flags=mmap.MAP_SHARED, prot=protection)
        print("BREACH /dev/zero")
    except OSError:
        pass
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
