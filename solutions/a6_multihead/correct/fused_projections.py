"""One product for queries, keys and values where they come from one place, with the three weights stacked on the fly."""

import math

import torch
from torch.nn import functional


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        layers = (self.W_q, self.W_k, self.W_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        B, T_q, d = query.shape
        T_k = key.shape[1]
        packed = functional.linear(torch.cat([query, key, value], dim=1), weight, bias)
        packed = packed.view(B, T_q + 2 * T_k, 3, self.n_heads, d // self.n_heads)
        q = packed[:, :T_q, 0].permute(0, 2, 1, 3)
        k = packed[:, T_q : T_q + T_k, 1].permute(0, 2, 3, 1)
        v = packed[:, T_q + T_k :, 2].permute(0, 2, 1, 3)
        scores = torch.matmul(q / math.sqrt(d // self.n_heads), k)
        if mask is None:
            mask = scores.new_ones(1, dtype=torch.bool)
        if mask.ndim == 3:
            mask = mask[:, None]
        weights = functional.softmax(scores.masked_fill(mask.logical_not(), -1e9), -1) * mask
        out = functional.linear(
            (weights @ v).transpose(1, 2).contiguous().view(B, T_q, d), self.W_o.weight, self.W_o.bias
        )
        if need_weights:
            return out, weights
        return out
