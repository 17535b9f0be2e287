"""What a child may use, as far as the system can bound it: memory, files, descriptors.

Memory is what can be written to: RLIMIT_DATA. The address space is no measure of it, for libraries reserve what they never
touch: importing a CUDA build of torch takes 3 to 5 GB of it, with a GPU or without. RLIMIT_DATA does not see shared mappings
and stacks, so the system-call filter refuses those that have no file (`jail.py`); what is left, pages that are only read and
the tables for them, is bounded by the address space with room for what libraries reserve.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys

try:
    import resource
except ImportError:  # Windows bounds none of this; time is bounded by the parent everywhere
    resource = None  # type: ignore[assignment]


CPU_SECONDS = 3600  # more than any job may take: a loop that outlives its killed grader ends
RESERVED_MB = 8 << 10  # of address space for libraries that are imported later, beside what may be written
DRIVER_MB = 2 << 10  # for what a GPU's driver writes in the process that computes there, beside what the code does
STACK_MB = 8
_M_MMAP_THRESHOLD, LARGE_BLOCK = -3, 1 << 20  # in glibc's malloc.h, and in bytes


def set_limits(memory_mb: int, file_mb: int) -> None:
    """Bound memory to what the process holds now plus a budget, and files, descriptors and locked memory."""
    if resource is None:
        return
    bounds = {"CPU": CPU_SECONDS, "CORE": 0, "FSIZE": file_mb << 20, "NOFILE": 256, "MEMLOCK": 0, "MSGQUEUE": 0}
    bounds["STACK"] = STACK_MB << 20
    if pages := _pages():  # macOS has no usable limit of memory
        gpu = bool(os.environ.get("CUDA_VISIBLE_DEVICES"))
        bounds["DATA"] = pages[5] + (memory_mb + DRIVER_MB * gpu << 20)
        if not gpu:  # a GPU's driver reserves hundreds of GB
            bounds["AS"] = pages[0] + (memory_mb + RESERVED_MB << 20)
    for name, bound in bounds.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            lowest = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(kind, (lowest, lowest))


def give_back_large_blocks() -> None:
    """Have glibc give back every large block that is freed (mallopt(3)).

    Torch asks for aligned blocks. Before 2.38, glibc often does not use such a block again once it was freed (its bug 14581), so that
    a loop over tiles of 4 MB took 400 MB in one process and 50 in the next. What is given back does not count as the student's.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK)


def _pages() -> list[int]:
    """Return what this process holds, in bytes, in the order of Linux's statm; nothing where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as status:
            return [int(word) * resource.getpagesize() for word in status.read(200).split()]
    except OSError:
        return []
