"""The student forgets the root, and takes numpy's lower triangle for every causal mask."""

import numpy as np


def attention_scores(Q, K):
    return np.einsum("...qd,...kd->...qk", Q, K)


def causal_mask(T_q, T_k):
    return np.array([[key <= query for key in range(T_k)] for query in range(T_q)], dtype=bool).reshape(T_q, T_k)
