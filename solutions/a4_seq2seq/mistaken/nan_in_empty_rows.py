"""Exponentials of what is allowed, over their sum; e to the minus infinity is zero."""
import torch


def masked_softmax(scores, mask):
    allowed = torch.where(mask, scores, torch.full_like(scores, -torch.inf))
    e = torch.exp(allowed - allowed.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)
