"""Opens files and pipes until no more open; more than its limit would show that it worked."""

import os


kept = []
try:
    while len(kept) < 5000:
        kept += os.pipe()
except OSError:
    pass
if len(kept) > 300:
    print("BREACH", len(kept))
for fd in kept:
    os.close(fd)


def scale(x, factor):
    return x * factor
