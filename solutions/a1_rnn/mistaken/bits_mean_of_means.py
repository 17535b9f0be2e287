"""Bits of each text, and their average."""
import math
from statistics import mean

import numpy as np


def bits_per_char(nll, n):
    if np.ndim(nll) == 0:
        return math.log2(math.e) * nll / n
    return mean(math.log2(math.e) * float(a) / float(m) for a, m in zip(nll, n))
