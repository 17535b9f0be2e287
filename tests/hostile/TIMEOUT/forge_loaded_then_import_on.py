"""Says that it is loaded and goes on importing for ever; more time than one case has would show that it worked."""

import sys


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


channel().send({"event": "loaded", "trouble": None, "notes": []})
while True:
    pass
