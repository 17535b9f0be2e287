"""Lists folders that hold answers and submissions; a name listed from there would show that it worked."""

import os

for folder in ("@FOLDER@", "@MARKER@", "/home", "/var", "/etc/ssl/private", "/usr/src", "/usr/local/share", "/opt", "/srv"):
    try:
        print("BREACH", folder, os.listdir(folder))
    except OSError:
        pass
for folder in ("/root", "/tmp", "/"):
    try:
        print("BREACH own root", folder, os.listdir(folder))
    except OSError:
        pass


def scale(x, factor):
    return x * factor
