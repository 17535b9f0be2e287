"""The student divides by the root of d_model, as in the single-head formula."""

import math

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
        d_model = query.size(-1)
        d = d_model // self.n_heads
        Q, K, V = self.W_q(query), self.W_k(key), self.W_v(value)
        if mask is not None:
            while mask.dim() < 4:
                mask = mask[None] if mask.dim() == 2 else mask[:, None]
            mask = mask.expand(Q.size(0), self.n_heads, Q.size(1), K.size(1))
        found, shares = [], []
        for h in range(self.n_heads):
            part = slice(h * d, (h + 1) * d)
            scores = torch.bmm(Q[..., part], K[..., part].transpose(1, 2)) / math.sqrt(d_model)
            if mask is not None:
                scores = scores.masked_fill(~mask[:, h], -1e9)
            share = scores.softmax(-1)
            if mask is not None:
                share = share * mask[:, h]
            shares.append(share)
            found.append(torch.bmm(share, V[..., part]))
        out = self.W_o(torch.cat(found, -1))
        return (out, torch.stack(shares, 1)) if need_weights else out
