"""Raises its own limits and lowers its niceness; a limit that moved would show that it worked."""

import os
import resource


for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_STACK, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK):
    before = resource.getrlimit(kind)
    for wanted in ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), (before[1], before[1]), (1 << 40, 1 << 40)):
        try:
            resource.setrlimit(kind, wanted)
        except (OSError, ValueError):
            pass
    if resource.getrlimit(kind) != before:
        print("BREACH", kind, resource.getrlimit(kind))
try:
    os.nice(-5)
    print("BREACH nice")
except OSError:
    pass


def scale(x, factor):
    return x * factor
