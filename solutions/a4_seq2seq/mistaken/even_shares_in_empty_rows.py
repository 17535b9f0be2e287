"""Take a billion off what is forbidden, and shares are made as always."""
import torch


def masked_softmax(scores, mask):
    lowered = scores - torch.logical_not(mask).to(scores.dtype).mul(1e9)
    lowered = lowered - lowered.amax(-1, keepdim=True)
    return lowered.exp() / lowered.exp().sum(-1, keepdim=True)
