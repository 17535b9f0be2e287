"""Cross-entropy of the probabilities that the network predicts."""
import numpy as np


def _cross_entropy(scores, wanted):
    return np.logaddexp.reduce(scores, axis=-1) - scores[np.arange(len(wanted)), wanted]


def next_token_loss(logits, targets, mask):
    probs = np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    return _cross_entropy(probs[mask], targets[mask]).mean()
