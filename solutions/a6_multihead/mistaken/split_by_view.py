"""The student asks for the documented shape at once, since the number of elements fits."""

import torch


def split_heads(x, n_heads):
    return torch.stack([sentence.reshape(n_heads, -1, x.size(2) // n_heads) for sentence in x])
