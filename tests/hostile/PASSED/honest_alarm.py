"""Sets an alarm clock for its own work, and a handler for it."""

import signal
import time

import numpy as np


class TooSlow(Exception):
    pass


def ring(number, frame):
    raise TooSlow


signal.signal(signal.SIGALRM, ring)


def scale(x, factor):
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        while True:
            time.sleep(0.005)
    except TooSlow:
        pass
    signal.alarm(30)
    result = x * factor
    signal.alarm(0)
    return result


def total(x):
    return float(np.sum(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
