"""Losses at all positions, zero where there is padding, and their mean."""
import torch
from torch.nn import functional as F


def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    losses = F.cross_entropy(logits.transpose(1, 2), targets.masked_fill(~real, 0), reduction="none")
    return torch.mean(losses * real)
