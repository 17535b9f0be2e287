"""Imports the answers by every name they might have; one that can be imported would show that it worked."""

import importlib
import sys


def scale(x, factor):
    for name in (
        "solutions",
        "solutions.h1_scale.scale",
        "h1_scale",
        "cases",
        "reference_h1_scale",
        "tests.hostile_support",
    ):
        try:
            print("BREACH", importlib.import_module(name))
        except ImportError:
            pass
    sys.path[:] = ["@FOLDER@/course/solutions/h1_scale", "."]
    importlib.invalidate_caches()
    sys.modules.pop("scale", None)
    answers = importlib.import_module("scale")
    print("BREACH", answers)
