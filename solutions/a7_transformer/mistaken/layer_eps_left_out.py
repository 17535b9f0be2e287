"""The student takes eps for something that only theory needs."""

import torch


def layer_norm(x, gamma, beta, eps):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / variance.sqrt() * gamma + beta
