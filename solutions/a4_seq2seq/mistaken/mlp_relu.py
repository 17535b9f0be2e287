"""A small network: linear, relu, linear."""
import torch


def mlp_score(q, k, W, w):
    out = []
    for n in range(q.shape[0]):
        pairs = torch.cartesian_prod(torch.arange(q.shape[1]), torch.arange(k.shape[1]))
        rows = torch.cat([q[n][pairs[:, 0]], k[n][pairs[:, 1]]], dim=1)
        out.append(((rows @ W.T).relu() @ w).view(q.shape[1], k.shape[1]))
    return torch.stack(out)
