"""Add up the logarithms of the probabilities."""
import numpy as np


def sequence_log_prob(logits, ids):
    e = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    wanted = np.eye(logits.shape[-1], dtype=bool)[ids]
    return np.log(p[wanted].reshape(ids.shape)).sum(-1)
