"""Look where the weight is largest."""
import torch


def attention_context(weights, values):
    where = weights.max(dim=-1).indices
    return torch.stack([v[w] for v, w in zip(values, where)])
