"""Makes devices, fifos, sockets and setuid files in its scratch folder; one made would show that it worked."""

import os
import stat


for way in (
    lambda: os.mknod("disk", 0o660 | stat.S_IFBLK, os.makedev(8, 0)),
    lambda: os.mknod("memory", 0o660 | stat.S_IFCHR, os.makedev(1, 1)),
    lambda: os.mkfifo("fifo"),
    lambda: os.mknod("socket", 0o660 | stat.S_IFSOCK),
    lambda: os.chmod(".", 0o4777),
    lambda: os.chown(".", 0, 0),
    lambda: os.fchmod(os.open("program", os.O_CREAT | os.O_WRONLY), 0o4755),
    lambda: os.setxattr(".", "security.capability", b"x"),
):
    try:
        way()
        print("BREACH")
    except OSError:
        pass


def scale(x, factor):
    return x * factor
