"""Every sequence has a loss; the loss of the batch is the mean of these."""
import numpy as np


def next_token_loss(logits, targets, mask):
    rows = []
    for scores, wanted, real in zip(logits, targets, mask):
        costs = [np.logaddexp.reduce(s) - s[w] for s, w, r in zip(scores, wanted, real) if r]
        if costs:
            rows.append(sum(costs) / len(costs))
    return sum(rows) / len(rows)
