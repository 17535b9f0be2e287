"""Closes its standard streams and puts broken ones in their place; a lost point would show that it worked."""

import os
import sys


sys.stdout.close()
sys.stderr = None
sys.stdout = object()
os.close(1)
os.close(2)
sys.__stdout__ = sys.__stderr__ = None


def scale(x, factor):
    return x * factor
