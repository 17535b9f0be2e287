"""The probability of each word, its logarithm, the mean."""
import torch


def masked_nll(logits, targets, pad):
    p = torch.softmax(logits, dim=-1)
    n, t = torch.nonzero(targets != pad, as_tuple=True)
    return torch.log(p[n, t, targets[n, t]]).mean().neg()
