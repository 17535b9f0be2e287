"""Loops below Python while it is imported, where only the end of the process stops it; a run longer than its limit would show that it worked."""

import itertools

all(itertools.repeat(1))
