"""The student fills with minus infinity and does not think of a row in which nothing is left."""

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
        H = self.n_heads
        q = self.W_q(query).view(B, T, H, D // H)
        k = self.W_k(key).view(B, -1, H, D // H)
        v = self.W_v(value).view(B, -1, H, D // H)
        att = torch.einsum("bihd,bjhd->bhij", q, k) / (D // H) ** 0.5
        if mask is not None:
            keep = mask[:, None] if mask.dim() == 3 else mask
            att = torch.where(keep, att, torch.tensor(-torch.inf))
        att = torch.exp(att - torch.logsumexp(att, dim=-1, keepdim=True))
        out = self.W_o(torch.einsum("bhij,bjhd->bihd", att, v).reshape(B, T, D))
        return (out, att) if need_weights else out
