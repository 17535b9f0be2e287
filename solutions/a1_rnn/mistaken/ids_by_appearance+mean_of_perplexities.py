"""Numbers are given as characters come; several texts have an average perplexity."""
import numpy as np


def build_vocab(text):
    seen = []
    for ch in text:
        seen += [ch] if ch not in seen else []
    return {ch: seen.index(ch) for ch in seen}


def perplexity(nll, n):
    return np.mean(np.exp(np.divide(nll, n)))
