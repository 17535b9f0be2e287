"""Sends a frame made by hand (negative shape); anything but the codec's refusal would show that it worked."""

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
    blob = (
        header(
            b'{"a":{"dtype":"U8","shape":[-1,-8],"data_offsets":[0,8]},"__metadata__":{"tree":"{\\"tree\\":null,\\"parts\\":[]}"}}'
        )
        + b"x" * 8
    )
    os.write(channel()._fd, struct.pack("<Q", len(blob)) + blob)
    time.sleep(60)


def header(text):
    return struct.pack("<Q", len(text)) + text
