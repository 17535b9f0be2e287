"""Hangs, and marks a case of another exercise as the one it is in; points for the exercise that hangs would show that it worked. It costs the other one, of the same student, its case."""

import sys


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    channel().mark(1)
    while True:
        pass
