"""Opens the memory and descriptors of other processes in /proc; a file that opens would show that it worked."""

import os

for pid in ("@GRADER@", "1", str(os.getppid())):
    for name in ("mem", "fd/0", "fd/1", "fd/3", "fd/4", "root/etc/passwd", "cwd"):
        for flags in (os.O_RDONLY, os.O_RDWR):
            try:
                os.open(f"/proc/{pid}/{name}", flags)
                print("BREACH", pid, name)
            except OSError:
                pass


def scale(x, factor):
    return x * factor
