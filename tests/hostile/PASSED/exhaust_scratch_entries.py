"""Leaves a thousand files and folders behind; one that the next student sees would show that it worked."""

import os


for number in range(500):
    os.mkdir(f"folder{number}")
    open(f"folder{number}/file", "w").close()
    open(f"file{number}", "w").close()


def scale(x, factor):
    return x * factor
