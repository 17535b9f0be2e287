"""Waits for a lock that it holds; a run longer than its limit would show that it worked."""

import threading


def scale(x, factor):
    lock = threading.Lock()
    with lock, lock:
        pass
