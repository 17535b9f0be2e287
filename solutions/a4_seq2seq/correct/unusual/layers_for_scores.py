"""Scores are made by layers of torch.nn.functional and by a module that lives for one call."""

from torch.func import functional_call
from torch.nn import functional as F


def every_pair(q, k):
    sizes = len(q), q.shape[1], k.shape[1], -1
    return q.unsqueeze(2).expand(sizes), k.unsqueeze(1).expand(sizes)


def bilinear_score(q, k, W):
    return F.bilinear(*(part.contiguous() for part in every_pair(q, k)), W[None]).squeeze(-1)


def mlp_score(q, k, W, w):
    network = nn.Sequential(nn.Linear(W.shape[1], len(W), bias=False), nn.Tanh(), nn.Linear(len(W), 1, bias=False))
    weights = {"0.weight": W, "2.weight": w[None]}
    return functional_call(network, weights, torch.cat(every_pair(q, k), dim=-1)).flatten(2)
