"""Creates, renames and links files into folders that anybody may write to; the marker folder touched would show that it worked."""

import os


open("mine", "w").close()
for way in (
    lambda: open("@MARKER@/file", "w").close(),
    lambda: os.mkdir("@MARKER@/folder"),
    lambda: os.rename("mine", "@MARKER@/renamed"),
    lambda: os.link("mine", "@MARKER@/linked"),
    lambda: os.symlink("mine", "@MARKER@/link"),
    lambda: os.mkfifo("@MARKER@/fifo"),
    lambda: os.unlink("@MARKER@/keep"),
    lambda: os.truncate("@MARKER@/keep", 0),
    lambda: os.rename("@MARKER@/keep", "@MARKER@/moved"),
    lambda: os.chmod("@MARKER@/keep", 0),
    lambda: os.utime("@MARKER@/keep"),
    lambda: os.setxattr("@MARKER@/keep", "user.x", b"x"),
    lambda: open("/tmp/left_by_attack", "x").close() or os.unlink("/tmp/left_by_attack"),
):
    try:
        way()
        print("BREACH")
    except OSError:
        pass


def scale(x, factor):
    return x * factor
