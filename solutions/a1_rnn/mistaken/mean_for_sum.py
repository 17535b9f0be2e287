"""The log-probability of a sequence is the mean over its tokens, so that length does not matter."""
import numpy as np


def sequence_log_prob(logits, ids):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), np.ravel(ids)
    chosen = flat[np.arange(len(wanted)), wanted] - np.logaddexp.reduce(flat, axis=1)
    return chosen.reshape(ids.shape).mean(-1)
