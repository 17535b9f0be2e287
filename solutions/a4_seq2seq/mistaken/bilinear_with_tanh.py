"""A layer on the query, then the dot product."""
import torch


def bilinear_score(q, k, W):
    layer = torch.einsum("nid,de->nie", q, W).tanh()
    return torch.einsum("nie,nje->nij", layer, k)
