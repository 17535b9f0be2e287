"""The student fills with a large negative number, which is the same everywhere in a row without keys."""

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
        cut = lambda t: torch.stack(t.chunk(self.n_heads, dim=-1), dim=1)  # noqa: E731
        q, k, v = cut(self.W_q(query)), cut(self.W_k(key)), cut(self.W_v(value))
        energy = q.matmul(k.transpose(-1, -2)).div(q.size(-1) ** 0.5)
        if mask is not None:
            if len(mask.shape) == 3:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, -1e9)
        share = nn.functional.softmax(energy, dim=-1)
        joined = torch.cat(share.matmul(v).unbind(dim=1), dim=-1)
        if need_weights:
            return self.W_o(joined), share
        return self.W_o(joined)
