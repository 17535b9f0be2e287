"""Floods the channel with the same mark; a run longer than a case may take would show that it worked. No mark wakes the grader, so that this is a call that computes for too long."""

import sys


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    while True:
        channel().mark(0)
