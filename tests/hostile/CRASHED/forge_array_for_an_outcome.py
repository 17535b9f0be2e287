"""Sends an outcome that is not one (array for an outcome); a GRADER_ERROR or a grader out of memory would show that it worked."""

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
    channel().send_outcomes([(encode(np.zeros(3)), 0.0)])
    os._exit(1)
