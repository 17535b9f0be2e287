"""Returns an array, a fraction and not-a-number as sizes; a GRADER_ERROR would show that it worked."""

import numpy as np


calls = 0


def size(x):
    global calls
    calls += 1
    return [np.ones((60, 1)), 1e300, float("nan"), np.int64(2**62), -1][calls % 5]


def table(x):
    return np.zeros((len(x), 2))
