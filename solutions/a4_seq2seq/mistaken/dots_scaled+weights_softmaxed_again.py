"""Scaled scores; and shares are made by a softmax wherever shares are needed."""
import torch


def dot_score(q, k):
    return torch.matmul(q, k.transpose(-2, -1)).div(q.shape[-1] ** 0.5)


def attention_context(weights, values):
    return torch.bmm(torch.nn.Softmax(dim=-1)(weights), values)
