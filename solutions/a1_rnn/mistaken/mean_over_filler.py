"""Multiply the losses by the mask, then take the mean."""
import numpy as np


def next_token_loss(logits, targets, mask):
    top = logits.max(-1)
    lse = top + np.log(np.exp(logits - top[:, :, None]).sum(-1))
    b, t = np.indices(targets.shape)
    losses = lse - logits[b, t, targets]
    return np.mean(losses * mask.astype(float))
