"""Zero is padding."""
import torch
from torch.nn import functional as F


def masked_nll(logits, targets, pad):
    logp = F.log_softmax(logits, -1).flatten(0, 1)
    return F.nll_loss(logp, targets.clamp(min=0).flatten(), ignore_index=0)
