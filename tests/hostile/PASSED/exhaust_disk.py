"""Fills its scratch folder in files of a megabyte; more than 300 of them would show that it worked, which is a named risk where it is one."""

import os


count = 0
try:
    os.mkdir("big")
    for count in range(301):
        fd = os.open(f"big/{count}", os.O_CREAT | os.O_WRONLY)
        os.posix_fallocate(fd, 0, 1 << 20)
        os.close(fd)
except OSError:
    pass
if count >= 300:
    print("BREACH disk", count)


def scale(x, factor):
    return x * factor
