"""The student goes through the batch row by row and averages what comes out."""

import torch


def lm_loss(logits, targets):
    rows = []
    for scores, wanted in zip(logits, targets):
        keep = wanted.ne(IGNORE).nonzero().flatten()
        if len(keep):
            log_p = scores[keep] - scores[keep].logsumexp(-1, keepdim=True)
            rows.append(-log_p[torch.arange(len(keep)), wanted[keep]].mean())
    return sum(rows) / len(rows)
