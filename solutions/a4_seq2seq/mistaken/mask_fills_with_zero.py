"""What is forbidden does not count: zero."""
import torch


def masked_softmax(scores, mask):
    return torch.nn.functional.softmax(scores * mask, dim=-1)
