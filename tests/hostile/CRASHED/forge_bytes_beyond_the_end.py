"""Sends one number and names two arrays of one each; anything but the codec's refusal would show that it worked."""

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
    one = {"f8": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}
    send(answer({"array": "a1"}), [["f8", [1]], ["f8", [1]]], one, bytes(8))
    time.sleep(60)
