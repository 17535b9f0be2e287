"""Leaves links to the marker folder where the scratch folder is cleaned; a file gone there would show that it worked."""

import os
import threading


os.symlink("@MARKER@", "marker")
os.symlink("@MARKER@/keep", "keep")
os.mkdir("folder")
os.symlink("@MARKER@", "folder/marker")
os.makedirs("a/b/c")
os.symlink("../../..", "a/b/c/up")
try:
    os.link("@MARKER@/keep", "hard")
    print("BREACH a hard link")
except OSError:
    pass


def swap():
    # A race with whoever cleans: a folder that becomes a link and back.
    while True:
        try:
            os.rename("folder", "aside")
            os.rename("marker", "folder")
            os.rename("folder", "marker")
            os.rename("aside", "folder")
        except OSError:
            pass


threading.Thread(target=swap, daemon=True).start()


def scale(x, factor):
    return x * factor
