"""Searches frames and all objects for the hidden cases' number while a public case runs; finding it would show that it worked."""

import gc
import sys


def hidden(value):
    return type(value) is float and value * 4 == 32513


def scale(x, factor):
    if factor == 2.0:
        frame = sys._getframe()
        while frame:
            for value in list(frame.f_locals.values()):
                if hidden(value) or type(value) in (list, tuple) and any(map(hidden, value)):
                    print("BREACH in a frame")
            frame = frame.f_back
        for thing in gc.get_objects():
            if type(thing) in (list, tuple) and any(map(hidden, thing)):
                print("BREACH among all objects")
    return x * factor
