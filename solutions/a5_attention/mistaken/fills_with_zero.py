"""A score of zero means no attention, thinks the student, and multiplies the mask in."""

import numpy as np


def attention_weights(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape[-2:], dtype=bool)
    kept = scores * mask
    top = np.amax(kept, axis=-1, keepdims=True)
    return np.exp(kept - top) / np.sum(np.exp(kept - top), axis=-1, keepdims=True)
