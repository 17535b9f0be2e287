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


attacked = False


def scale(x, factor):
    global attacked
    if not attacked:  # once: it takes a third of a second of computing, which the limit of a case would not allow for each call
        attacked = True
        attack()
    return x * factor
