"""Sends a frame made by hand (shape overflow); anything but the codec's refusal would show that it worked."""

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
        b'{"a":{"dtype":"F64","shape":[4294967296,4294967296,2],"data_offsets":[0,0]},"__metadata__":{"tree":"{\\"tree\\":null,\\"parts\\":[]}"}}'
    )
    os.write(channel()._fd, struct.pack("<Q", len(blob)) + blob)
    time.sleep(60)


def header(text):
    return struct.pack("<Q", len(text)) + text
