"""The student writes the softmax as in the book, number by number with math.exp."""

import math

import numpy as np


def attention_weights(scores, mask=None):
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    out = np.zeros(scores.shape)
    for where in np.ndindex(scores.shape[:-1]):
        e = [math.exp(s) if ok else 0.0 for s, ok in zip(scores[where], allowed[where])]
        out[where] = [one / sum(e) for one in e]
    return out
