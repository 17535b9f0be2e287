"""The student multiplies the finished weights by the mask."""

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
        b, n, width = query.shape
        size = width // self.n_heads
        q = self.W_q(query).reshape(b, n, self.n_heads, size).movedim(2, 1)
        k = self.W_k(key).reshape(b, key.shape[1], self.n_heads, size).movedim(2, 1)
        v = self.W_v(value).reshape(b, key.shape[1], self.n_heads, size).movedim(2, 1)
        attn = (q @ k.mT * size**-0.5).softmax(-1)
        if mask is not None:
            attn = attn.mul(mask.unsqueeze(-3) if mask.ndim == 3 else mask)
        out = self.W_o((attn @ v).movedim(1, 2).reshape(b, n, width))
        return (out, attn) if need_weights else out
