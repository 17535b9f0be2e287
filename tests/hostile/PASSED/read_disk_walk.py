"""Walks the disk from the root for a third of a second and opens small text files; a KEY printed would show that it worked."""

import os
import time

stop = time.monotonic() + 0.3
for start in ("/tmp", "/home", "/root", "/var/tmp", "/run", "/etc", "/proc", "/srv", "/opt"):
    for folder, _, files in os.walk(start):
        for name in files:
            path = os.path.join(folder, name)
            try:
                if not os.path.isfile(path):  # a pipe in /proc would keep it waiting
                    continue
                with open(path, errors="replace") as file:
                    text = file.read(2000)
                if any(f"KEY-{name}" in text for name in ("solution", "home", "other", "environment")):
                    print("BREACH", folder, name, text)
            except OSError:
                pass
            if time.monotonic() > stop:
                break
        if time.monotonic() > stop:
            break


def scale(x, factor):
    return x * factor
