"""Tries what two submissions could whisper through: file locks, keys, queues, semaphores, shared memory; one that is allowed would show that it worked."""

import ctypes
import fcntl
import os
import platform


libc = ctypes.CDLL(None, use_errno=True)
# The numbers below are those of x86-64.
syscall = libc.syscall if platform.machine() == "x86_64" else lambda *numbers: -1
fd = os.open(os.__file__, os.O_RDONLY)
for name, call in (
    ("flock", lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)),
    ("lockf", lambda: fcntl.lockf(os.open("x", os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX)),
    ("lease", lambda: fcntl.fcntl(fd, 1024, 0)),
    ("notify", lambda: fcntl.fcntl(os.open(".", os.O_RDONLY), 1026, 2)),
    ("owner", lambda: fcntl.fcntl(fd, 8, os.getppid())),
):
    try:
        call()
        print("BREACH", name)
    except OSError:
        pass
for name, number, arguments in (
    ("add_key", 248, (b"user", b"left", b"x", 1, -4)),
    ("request_key", 249, (b"user", b"left", 0, -4)),
    ("keyctl", 250, (0, -4, 1)),
    ("semget", 64, (1234, 1, 0o1600)),
    ("msgget", 68, (1234, 0o1600)),
    ("shmget", 29, (1234, 4096, 0o1600)),
    ("mq_open", 240, (b"left", 0o101, 0o600, 0)),
    ("inotify", 294, (0,)),
    ("fanotify", 300, (0, 0)),
    ("perf_event_open", 298, (0, 0, -1, -1, 0)),
    ("bpf", 321, (0, 0, 0)),
    ("sched_setaffinity", 203, (0, 8, ctypes.c_uint64(1))),
    ("sched_setscheduler", 144, (0, 3, ctypes.c_uint32(0))),
    ("setpriority", 141, (0, 0, 5)),
    ("ioprio_set", 251, (1, 0, 0)),
    ("prlimit", 302, (int("@VICTIM@"), 0, ctypes.create_string_buffer(16), 0)),
    ("syslog", 103, (3, ctypes.create_string_buffer(16), 16)),
    ("acct", 163, (0,)),
    ("seccomp", 317, (0, 0, 0)),
    ("landlock", 444, (0, 0, 1)),
):
    if syscall(number, *arguments) >= 0:
        print("BREACH", name)


def scale(x, factor):
    return x * factor
