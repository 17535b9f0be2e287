"""Folded scores as those of folded queries with the vectors themselves, under another root."""

import numpy as np


def folded_scores(X, W_q, W_k):
    d_model, d_k = W_q.shape
    return attention_scores(X @ W_q @ W_k.T, X) * np.sqrt(d_model / d_k)
