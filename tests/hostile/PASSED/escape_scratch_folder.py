"""Moves, removes and replaces the scratch folder itself, and leaves it by its parent; success would show that it worked."""

import os


home = os.getcwd()
for way in (
    lambda: os.rmdir(home),
    lambda: os.rename(home, home + "-moved"),
    lambda: open("../canary").read(),
    lambda: open("../left", "w"),
    lambda: os.symlink("/", home + "2"),
):
    try:
        way()
        print("BREACH")
    except OSError:
        pass


def scale(x, factor):
    return x * factor
