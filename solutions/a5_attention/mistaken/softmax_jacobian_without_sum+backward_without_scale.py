"""The student stops the softmax's derivative half way and forgets the root."""

import numpy as np


def attention_backward(dout, cache):
    q, k, v, a = cache
    g = np.einsum("...iv,...jv,...ij->...ij", dout, v, a)
    return np.einsum("...ij,...jd->...id", g, k), np.einsum("...ij,...id->...jd", g, q), np.einsum("...ij,...iv->...jv", a, dout)
