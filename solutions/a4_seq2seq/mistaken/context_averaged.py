"""The mean of the weighted values."""
import torch


def attention_context(weights, values):
    return torch.mean(weights.unsqueeze(-1) * values.unsqueeze(1), dim=2)
