"""Mounts, unmounts and swaps roots, by the old calls and the new; one that is allowed would show that it worked."""

import ctypes
import platform


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
for name, number, arguments in (
    ("mount", 165, (b"none", b".", b"tmpfs", 0, 0)),
    ("bind", 165, (b"/", b".", 0, 4096, 0)),
    ("umount", 166, (b"/proc", 2)),
    ("pivot_root", 155, (b".", b".")),
    ("fsopen", 430, (b"tmpfs", 0)),
    ("open_tree", 428, (-100, b"/", 1)),
    ("mount_setattr", 442, (-100, b"/", 0, 0, 0)),
    ("swapon", 167, (b"/nowhere", 0)),
    ("quotactl", 179, (0, 0, 0, 0)),
):
    if syscall(number, *arguments) >= 0:
        print("BREACH", name)


def scale(x, factor):
    return x * factor
