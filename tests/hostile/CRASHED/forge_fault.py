"""Sends the ending that stands for a failure of the grader; a GRADER_ERROR would show that it worked."""

import sys
from autograder.sandbox.child.wire_format import encode


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    channel().send_outcomes([(encode({"ending": "fault", "trouble": {"type": "", "text": "", "frames": []}}), 0.0)])
