"""The student carries the gradient of the values back with the weights of the forward pass."""

import numpy as np


def attention_backward(dout, cache):
    Q, K, V, A = cache
    c = 1 / np.sqrt(K.shape[-1])
    g = A * np.matmul(dout, V.swapaxes(-1, -2))
    g = g - A * np.sum(g, axis=-1, keepdims=True)
    return c * np.matmul(g, K), c * np.matmul(g.swapaxes(-1, -2), Q), np.matmul(A, dout)
