"""The student relies on broadcasting for all masks."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            layer(t).unflatten(2, (self.n_heads, -1)).transpose(1, 2)
            for layer, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scores = torch.matmul(q, k.mT) / q.shape[3] ** 0.5
        if mask is None:
            weights = scores.softmax(3)
        else:
            weights = torch.where(mask, scores, -1e30).softmax(3) * mask
        output = self.W_o(torch.matmul(weights, v).transpose(1, 2).flatten(2))
        if need_weights:
            return output, weights
        return output
