"""Leaves its folder by relative paths, chdir and a folder descriptor; a KEY printed would show that it worked."""

import os

up = "../" * 12
for way in (
    lambda: open(up + "@SECRET@").read(),
    lambda: os.chdir("@FOLDER@") or open("secret.txt").read(),
    lambda: os.read(os.open("secret.txt", os.O_RDONLY, dir_fd=os.open("@FOLDER@", os.O_PATH)), 100),
    lambda: open("/proc/self/root@SECRET@").read(),
    lambda: open("/proc/self/cwd/" + up + "@SECRET@").read(),
    lambda: open("/proc/@GRADER@/root@SECRET@").read(),
    lambda: open("/proc/@GRADER@/cwd/pyproject.toml").read(),
):
    try:
        print("BREACH", way())
    except OSError:
        pass


def scale(x, factor):
    return x * factor
