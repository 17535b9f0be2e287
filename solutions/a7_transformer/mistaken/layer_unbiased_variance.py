"""The student takes the spread of features as torch.std gives it."""

import torch


def layer_norm(x, gamma, beta, eps):
    spread = torch.sqrt(x.std(-1, keepdim=True).pow(2) + eps)
    return torch.addcmul(beta, gamma, (x - x.mean(-1, keepdim=True)) / spread)
