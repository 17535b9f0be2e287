"""Leaves a process behind by forking twice into a session of its own; the marker folder touched would show that it worked."""

import os


try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open("@MARKER@/daemon", "w").close()
        os._exit(0)
    os.wait()
    print("BREACH forked")
except OSError:
    pass
for call in (os.setsid, os.setpgrp):
    try:
        call()
        print("BREACH", call.__name__)
    except OSError:
        pass


def scale(x, factor):
    return x * factor
