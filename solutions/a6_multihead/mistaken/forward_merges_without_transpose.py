"""The student knows that view complains, so writes contiguous before it, and nothing moves."""

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
        B, T, D = query.shape
        q, k, v = [
            lin(t).view(B, t.size(1), self.n_heads, D // self.n_heads).permute(0, 2, 1, 3)
            for lin, t in [(self.W_q, query), (self.W_k, key), (self.W_v, value)]
        ]
        score = torch.einsum("bhid,bhjd->bhij", q, k) / (D // self.n_heads) ** 0.5
        if mask is not None:
            allowed = (mask[:, None] if mask.dim() == 3 else mask).expand_as(score)
            score = score.masked_fill(allowed.logical_not(), -3e38)
            weight = torch.where(allowed, score.softmax(-1), torch.zeros(()))
        else:
            weight = score.softmax(-1)
        z = (weight @ v).contiguous().view(B, T, D)
        return (self.W_o(z), weight) if need_weights else self.W_o(z)
