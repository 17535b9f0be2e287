"""The student stacks the matrices to multiply once, and puts W_q into the stack twice."""

import numpy as np


def project_qkv(X, W_q, W_k, W_v):
    n = W_q.shape[1]
    wide = X @ np.hstack([W_q, W_q, W_v])
    return wide[..., :n], wide[..., n : 2 * n], wide[..., 2 * n :]
