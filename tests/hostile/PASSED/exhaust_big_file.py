"""Writes, seeks and truncates a file past the limit on files; a file of 100 MB would show that it worked."""

import os


for grow in (
    lambda fd: os.truncate(fd, 1 << 40),
    lambda fd: os.pwrite(fd, b"x", 1 << 40),
    lambda fd: [os.write(fd, bytes(1 << 20)) for _ in range(100)],
    lambda fd: os.posix_fallocate(fd, 0, 1 << 30),
):
    fd = os.open("big", os.O_CREAT | os.O_RDWR)
    try:
        grow(fd)
    except OSError:
        pass
    if os.fstat(fd).st_size > 2 << 20:
        print("BREACH", os.fstat(fd).st_size)
    os.close(fd)


def scale(x, factor):
    return x * factor
