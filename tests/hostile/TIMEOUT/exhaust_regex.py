"""Matches a regular expression that backtracks for ages; a run longer than its limit would show that it worked."""

import re


def scale(x, factor):
    return re.match(r"(a+)+$", "a" * 60 + "b")
