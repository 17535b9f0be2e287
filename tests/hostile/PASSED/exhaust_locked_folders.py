"""Leaves folders without any permission, odd names and links that go in circles; one that the next student sees would show that it worked."""

import os


os.umask(0o777)
os.mkdir("locked")
os.umask(0o022)
os.mkdir("open")
os.umask(0o777)
os.mkdir("open/locked")
os.umask(0o022)
os.symlink("circle", "circle")
os.symlink("..", "open/up")
for name in ("-rf", "a\nb", "\x1b[2J", " ", "~", "*", "..."):
    open(name, "w").close()
open(b"\xff\xfe", "w").close()


def scale(x, factor):
    return x * factor
