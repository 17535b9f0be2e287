"""One nat is .693 bits."""
import math

import numpy as np


def bits_per_char(nll, n):
    nats = math.fsum(np.atleast_1d(nll))
    return nats * 0.6931471805599453 / int(np.sum(n))
