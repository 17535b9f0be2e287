"""Sleeps; a run longer than its limit would show that it worked."""

import time


def scale(x, factor):
    time.sleep(3600)
