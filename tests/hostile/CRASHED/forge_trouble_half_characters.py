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


def send(tree, parts=(), arrays=None, data=b""):
    empty = {"_": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}}
    text = tree if isinstance(tree, str) else json.dumps(tree)
    whole = f'{{"tree":{text},"parts":{json.dumps(parts)}}}'
    head = json.dumps({"__metadata__": {"tree": whole}, **(arrays or empty)}).encode()
    blob = struct.pack("<Q", len(head)) + head + data
    message = memoryview(struct.pack("<Q", len(blob)) + blob)
    while message:
        message = message[os.write(channel()._fd, message) :]


def answer(value):
    outcome = {"dict": [["ending", "returned"], ["value", value]]}
    return {"dict": [["event", "outcomes"], ["outcomes", {"list": [outcome]}]]}


def scale(x, factor):
    half = "\ud800"
    frames = {"list": [{"list": [half, 2**63, half, half]}, {"list": ["scale.py", 12, half, half]}]}
    parts = {"list": [{"list": [half, half, {"list": [10**11] * 8}, half]}]}
    trouble = {"dict": [["type", half], ["text", half * 400], ["frames", frames], ["parts", parts]]}
    outcome = {"dict": [["ending", "raised"], ["trouble", trouble]]}
    send({"dict": [["event", "outcomes"], ["outcomes", {"list": [outcome]}]]})
    time.sleep(60)
