"""The student has torch's nn.Linear in mind, which stores (out, in)."""

import numpy as np


def project_qkv(X, W_q, W_k, W_v):
    def linear(inputs, weight):
        return np.einsum("...i,oi->...o", inputs, weight)

    return linear(X, W_q), linear(X, W_k), linear(X, W_v)
