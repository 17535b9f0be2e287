"""Before means before, thinks the student: a query may read what is strictly earlier."""

import numpy as np


def causal_mask(T_q, T_k):
    already = T_k - T_q
    mask = np.full((T_q, T_k), False)
    for i in range(T_q):
        mask[i, : already + i] = True
    return mask
