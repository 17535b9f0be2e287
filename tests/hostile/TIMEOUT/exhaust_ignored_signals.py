"""Ignores and blocks every signal it may, catches all exceptions, and loops; a run that outlives its limit would show that it worked."""

import signal


def scale(x, factor):
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
