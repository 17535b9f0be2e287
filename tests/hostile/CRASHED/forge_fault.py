"""Sends the ending that stands for a failure of the grader; a GRADER_ERROR would show that it worked."""

import sys


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    channel().send(
        {"event": "outcomes", "outcomes": [{"ending": "fault", "trouble": {"type": "", "text": "", "frames": []}}]}
    )
