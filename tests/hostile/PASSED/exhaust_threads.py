"""Starts threads until no more start; more than two thousand, or a next student harmed, would show that it worked."""

import _thread
import threading


_thread.stack_size(1 << 16)
stop = threading.Event()
count = 0
try:
    while count < 2001:
        _thread.start_new_thread(stop.wait, ())
        count += 1
except (RuntimeError, MemoryError):
    pass
stop.set()
if count > 2000:
    print("BREACH", count)


def scale(x, factor):
    return x * factor
