"""Returns eight megabytes where one is allowed; a grader that keeps them would show that it worked."""

import numpy as np


def scale(x, factor):
    return np.zeros(1 << 20)
