"""Sends the shapes of a line that raised in a form no worker sends (fractions); a GRADER_ERROR, or a message that fills the page, would show that it worked."""

import os
import sys

import numpy as np
from autograder.sandbox.child.wire_format import encode


def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("channel")).__name__ != "Channel":
        frame = frame.f_back
    return frame.f_locals["channel"]


def scale(x, factor):
    parts = [["x", "array", [float("nan"), 2.5], "float64"], ["y", "array", [2], "float64"]]
    trouble = {"type": "ValueError", "text": "operands could not be broadcast", "frames": [], "parts": parts}
    channel().send_outcomes([(encode({"ending": "raised", "trouble": trouble}), 0.0)])
    os._exit(1)
