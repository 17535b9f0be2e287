"""Two slips in two exercises: statistics over the batch axis alone, and the mean of x and f(x)."""

import torch


def batch_norm(x, gamma, beta, eps):
    centred = x - x.mean(0)
    return gamma * centred / torch.sqrt(centred.pow(2).mean(0) + eps) + beta


def residual(x, f):
    return torch.lerp(x, f(x), 0.5)
