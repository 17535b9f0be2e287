"""The student differentiates the softmax like a sigmoid: a (1 - a), entry by entry."""

import numpy as np


def attention_backward(dout, cache):
    Q, K, V, A = cache
    d_values = np.einsum("...qk,...qv->...kv", A, dout)
    d_scores = np.einsum("...qv,...kv->...qk", dout, V) * (A - A * A) * Q.shape[-1] ** -0.5
    d_queries = np.einsum("...qk,...kd->...qd", d_scores, K)
    d_keys = np.einsum("...qk,...qd->...kd", d_scores, Q)
    return d_queries, d_keys, d_values
