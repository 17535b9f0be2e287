"""Sends a part of its answer in crumbs of a byte, then sleeps; a grader that waits for the rest would show that it worked."""

import os
import struct
import sys
import time


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def crumble():
    descriptor = channel()._fd
    os.write(descriptor, struct.pack("<Q", 1 << 20))
    for _ in range(1 << 14):
        os.write(descriptor, b" ")
    time.sleep(600)


def scale(x, factor):
    crumble()


def total(x):
    crumble()


def grid(n):
    crumble()
