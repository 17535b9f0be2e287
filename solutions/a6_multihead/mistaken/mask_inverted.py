"""The student takes the mask as nn.MultiheadAttention does: True means keep out."""

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
        def heads(t):
            return t.unflatten(-1, (self.n_heads, -1)).permute(0, 2, 1, 3)

        q, k, v = heads(self.W_q(query)), heads(self.W_k(key)), heads(self.W_v(value))
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            s = s.masked_fill(mask, float("-inf"))
        p = torch.nan_to_num(s.softmax(dim=-1))
        out = self.W_o(torch.einsum("bhqk,bhkd->bqhd", p, v).flatten(2))
        return (out, p) if need_weights else out
