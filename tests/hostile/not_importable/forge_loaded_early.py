"""Sends `loaded` before it is, with notes without form, and goes on importing; a GRADER_ERROR would show that it worked."""

import sys


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


channel().send({"event": "loaded", "trouble": None, "notes": 7})
while True:
    pass
