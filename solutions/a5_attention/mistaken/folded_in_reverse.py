"""The student folds the keys' matrix first."""

import numpy as np


def folded_scores(X, W_q, W_k):
    bilinear = np.einsum("ik,jk->ij", W_k, W_q) / np.sqrt(W_q.shape[1])
    return np.einsum("...si,ij,...tj->...st", X, bilinear, X)
