"""For every key the product with every query."""
import torch


def dot_score(q, k):
    return torch.stack([torch.stack([(q[n] * key).sum(1) for key in k[n]]) for n in range(len(q))])
