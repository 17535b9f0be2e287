"""Sends a frame made by hand (json recursion); anything but the codec's refusal would show that it worked."""

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


def framed(tree, parts=(), data=b""):
    text = tree if isinstance(tree, str) else json.dumps(tree)
    head = f'{{"parts":{json.dumps(parts)},"tree":{text}}}'.encode()
    return struct.pack("<Q", len(head)) + head + data


def send(blob):
    told = [["event", "outcomes"], ["sizes", {"list": [len(blob)]}], ["seconds", {"list": [0.0]}]]
    message = memoryview(b"".join(struct.pack("<Q", len(part)) + part for part in (framed({"dict": told}), blob)))
    while message:
        message = message[os.write(channel()._fd, message) :]


def scale(x, factor):
    send(framed("[" * 200_000 + "]" * 200_000))
    time.sleep(60)
