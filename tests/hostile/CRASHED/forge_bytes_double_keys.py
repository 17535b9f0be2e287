"""Sends a frame made by hand (double keys); anything but the codec's refusal would show that it worked."""

import os
import struct
import sys
import time


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    blob = header(
        b'{"__metadata__":{"tree":"{\\"tree\\":null,\\"parts\\":[]}"},"__metadata__":{"tree":"{\\"tree\\":1,\\"parts\\":[]}"}}'
    )
    os.write(channel()._fd, struct.pack("<Q", len(blob)) + blob)
    time.sleep(60)


def header(text):
    return struct.pack("<Q", len(text)) + text
