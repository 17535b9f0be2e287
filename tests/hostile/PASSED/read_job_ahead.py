"""Reads its job's file to the end while only public cases run; the number of the hidden cases found there would show that it worked."""

import os
import stat
import struct


def scan(when):
    for fd in range(64):
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                data = os.pread(fd, 1 << 22, 0)
                if struct.pack("<d", 8000.0 + 128.25) in data or str(8000 + 128) in data.decode(errors="replace"):
                    print("BREACH", when)
        except OSError:
            pass


scan("at import")
public = True


def scale(x, factor):
    global public
    if public:
        scan("in a public case")
        public = False
    return x * factor


def total(x):
    return x.sum()


def grid(n):
    import numpy

    if n == 2:
        scan("in the last public case")
    return numpy.arange(float(n * n)).reshape(n, n)

