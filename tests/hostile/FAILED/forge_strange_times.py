"""Claims to have taken minus infinity and not-a-number seconds; a result that is no valid JSON would show that it worked."""

import sys
from autograder.sandbox.child.wire_format import encode


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    seconds = float("-inf") if factor == 2.0 else float("nan")
    channel().send_outcomes([(encode({"ending": "returned", "value": 0}), seconds)])
