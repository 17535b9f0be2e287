"""Keeps hidden arguments and prints them from a thread, at exit and in every later call; one in anything a student may read would show that it worked."""

import atexit
import threading
import time

seen = []


def tell():
    while True:
        time.sleep(0.01)
        print(seen, flush=True)


threading.Thread(target=tell, daemon=True).start()
atexit.register(lambda: print(seen))


def scale(x, factor):
    seen.append(factor)
    return x * factor


def total(x):
    print(seen)
    return float(x.sum())
