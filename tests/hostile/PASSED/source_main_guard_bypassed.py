"""Pretends to be __main__, renames its own module and drops out of sys.modules; a GRADER_ERROR would show that it worked."""

import sys


me = sys.modules.pop(__name__)
__name__ = "__main__"
__file__ = "/etc/passwd"
sys.argv[:] = ["grade", "--full-marks"]


def scale(x, factor):
    return x * factor
