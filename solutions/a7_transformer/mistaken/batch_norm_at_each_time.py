"""The student averages over the batch axis, as in networks without time."""

import torch


def batch_norm(x, gamma, beta, eps):
    out = torch.empty_like(x)
    for t in range(x.shape[1]):
        column = x[:, t]
        middle = column.sum(0) / len(x)
        spread = (column - middle).square().sum(0) / len(x)
        out[:, t] = gamma * (column - middle) / (spread + eps) ** 0.5 + beta
    return out
