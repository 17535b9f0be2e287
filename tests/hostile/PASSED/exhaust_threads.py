"""Starts threads until no more start; more than two thousand, or a next student harmed, would show that it worked."""

import _thread
import threading
import time


def attack():
    _thread.stack_size(1 << 17)
    stop = threading.Event()
    count = 0
    try:
        while count < 2001:
            _thread.start_new_thread(stop.wait, ())
            count += 1
    except (RuntimeError, MemoryError):
        pass
    if count > 2000:
        print("BREACH", count)
    stop.set()
    while _thread._count():
        time.sleep(0.01)


attack()  # while it is imported: a third of a second of computing, or more on a slow machine, is much of a case's limit


def scale(x, factor):
    return x * factor
