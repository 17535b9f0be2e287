"""The folded matrix is d_model wide, so the student takes that width for the root."""

import numpy as np


def folded_scores(X, W_q, W_k):
    middle = np.dot(W_q, W_k.T)
    scores = np.matmul(np.matmul(X, middle), np.moveaxis(X, -2, -1))
    scores *= len(middle) ** -0.5
    return scores
