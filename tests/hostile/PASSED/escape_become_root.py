"""Sets its users, groups, capabilities and personality; any change would show that it worked."""

import ctypes
import os
import platform


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
before = os.getresuid(), os.getresgid(), os.getgroups()
for name, call in (
    ("setuid", lambda: os.setuid(0)),
    ("setresuid", lambda: os.setresuid(0, 0, 0)),
    ("setgid", lambda: os.setgid(0)),
    ("setgroups", lambda: os.setgroups([0])),
    ("chroot", lambda: os.chroot(".")),
):
    try:
        call()
        print("BREACH", name)
    except OSError:
        pass
for name, number, arguments in (
    ("capset", 126, (ctypes.c_uint64(0x20080522), ctypes.create_string_buffer(24))),
    ("personality", 135, (0x0040000,)),
    ("keep capabilities", 157, (8, 1, 0, 0, 0)),
    ("ambient capabilities", 157, (47, 2, 0, 0, 0)),
    ("securebits", 157, (28, 0, 0, 0, 0)),
    ("child subreaper", 157, (36, 1, 0, 0, 0)),
    ("set dumpable", 157, (4, 1, 0, 0, 0)),
    ("a tracer", 157, (0x59616D61, -1, 0, 0, 0)),
):
    if syscall(number, *arguments) == 0:
        print("BREACH", name)
if before != (os.getresuid(), os.getresgid(), os.getgroups()):
    print("BREACH", os.getresuid())


def scale(x, factor):
    return x * factor
