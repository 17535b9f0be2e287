"""Examines every descriptor it inherited; a socket, a folder, a pidfd or anything beyond its own five channels would show that it worked."""

import os
import stat

known = {"S_ISFIFO", "S_ISCHR"}
others = []
for fd in range(1024):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    if stat.S_ISSOCK(mode) or stat.S_ISDIR(mode) or not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISREG(mode)):
        print("BREACH descriptor", fd, oct(mode))
    if stat.S_ISREG(mode) and os.fstat(fd).st_size == 16:  # where it marks its place: new for each child, and its size is sealed
        for resize in (lambda: os.ftruncate(fd, 1 << 20), lambda: os.ftruncate(fd, 0), lambda: os.pwrite(fd, b"x", 16)):
            try:
                resize()
                print("BREACH the file of marks can be resized")
            except OSError:
                pass
    elif stat.S_ISREG(mode):
        others.append(fd)
        data = os.pread(fd, 1 << 20, 0)
        if b"KEY" + b"-" * 1 in data.replace(b'"KEY" + b"-"', b""):
            print("BREACH", fd, data)
        try:
            os.pwrite(fd, b"x", 0)
            print("BREACH its own job can be changed")
        except OSError:
            pass
        try:
            os.open(f"/proc/self/fd/{fd}", os.O_RDWR)
            print("BREACH its own job can be opened for writing")
        except OSError:
            pass
if len(others) > 1:
    print("BREACH more regular files are open than the job:", others)


def scale(x, factor):
    return x * factor
