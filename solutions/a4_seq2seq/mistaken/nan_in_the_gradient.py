"""The logarithm of the mask is 0 or minus infinity; what is no number afterwards is a zero."""
import torch


def masked_softmax(scores, mask):
    shares = torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)
    return torch.where(shares.isnan(), 0.0, shares)
