"""Perplexity is two to the entropy, as in the textbook."""
import numpy as np


def perplexity(nll, n):
    entropy = np.asarray(nll).sum() / np.asarray(n).sum()
    return float(np.exp2(entropy))
