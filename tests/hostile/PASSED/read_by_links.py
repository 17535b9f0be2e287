"""Makes symbolic and hard links in its scratch folder to what it may not open; a KEY read through one would show that it worked."""

import os

for number, link in enumerate((os.symlink, os.link)):
    try:
        link("@SECRET@", f"link{number}")
        print("BREACH", open(f"link{number}").read())
    except OSError:
        pass
try:
    os.symlink("@FOLDER@", "folder")
    print("BREACH", open("folder/secret.txt").read())
except OSError:
    pass


def scale(x, factor):
    return x * factor
