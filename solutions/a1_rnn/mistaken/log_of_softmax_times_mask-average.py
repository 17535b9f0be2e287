"""Cross-entropy of a one-hot vector and a distribution."""
import numpy as np


def next_token_loss(logits, targets, mask):
    probs = softmax(logits)
    wanted = targets[..., None] == np.arange(logits.shape[-1])
    return np.average(-np.log(probs[wanted]).reshape(targets.shape), weights=mask)
