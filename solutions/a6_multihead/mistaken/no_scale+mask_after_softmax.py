"""The student forgets the root and multiplies the finished weights by the mask."""

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
        q = torch.stack(self.W_q(query).chunk(self.n_heads, -1), 1)
        k = torch.stack(self.W_k(key).chunk(self.n_heads, -1), 1)
        v = torch.stack(self.W_v(value).chunk(self.n_heads, -1), 1)
        p = torch.softmax(q @ k.mT, -1)
        if mask is not None:
            p = p * (mask[:, None] if mask.dim() == 3 else mask).float()
        out = self.W_o(torch.cat(list((p @ v).unbind(1)), -1))
        return (out, p) if need_weights else out
