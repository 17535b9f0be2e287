"""Tells of an exception in halves of characters, which no file holds, at lines and in shapes that there are none of; a grader that cannot write it down would show that it worked."""

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
    half = "\ud800"
    frames = {"list": [{"list": [half, 2**63, half, half]}, {"list": ["scale.py", 12, half, half]}]}
    parts = {"list": [{"list": [half, half, {"list": [10**11] * 8}, half]}]}
    trouble = {"dict": [["type", half], ["text", half * 400], ["frames", frames], ["parts", parts]]}
    send(framed({"dict": [["ending", "raised"], ["trouble", trouble]]}))
    time.sleep(60)
