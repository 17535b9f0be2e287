"""The student flattens every sequence and cuts it into rows of d_model."""

import torch


def merge_heads(x):
    b, h, t, d = x.size()
    flat = x.flatten(start_dim=1)
    return torch.stack(flat.split(h * d, dim=1), dim=1)
