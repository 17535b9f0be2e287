"""Losses are in bits, and np.mean makes the mean."""
import numpy as np


def next_token_loss(logits, targets, mask):
    shifted = logits - logits.max(axis=2)[..., np.newaxis]
    log2p = (shifted - np.log(np.exp(shifted).sum(axis=2))[..., np.newaxis]) / np.log(2)
    picked = np.array([[log2p[i, t, w] for t, w in enumerate(row)] for i, row in enumerate(targets)])
    return -np.where(mask, picked, 0.0).mean()
