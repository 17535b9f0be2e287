"""Shares first; then nothing goes to what is forbidden."""
import torch


def masked_softmax(scores, mask):
    shares = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return torch.where(mask, shares, torch.zeros_like(shares))
