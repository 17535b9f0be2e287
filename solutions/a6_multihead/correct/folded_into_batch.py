"""Heads are folded into the batch and attention is torch.bmm; an additive mask; scaled queries; matrices from PE itself."""

import math

import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T_q, d_model = query.shape
        d_head, T_k = d_model // self.n_heads, key.shape[1]

        def fold(x):
            return x.reshape(B, -1, self.n_heads, d_head).transpose(1, 2).reshape(B * self.n_heads, -1, d_head)

        q = fold(self.W_q(query) * d_head**-0.5)
        k, v = fold(self.W_k(key)), fold(self.W_v(value))
        extra = torch.zeros(B, self.n_heads, T_q, T_k)
        keep = torch.ones(B, self.n_heads, T_q, T_k)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            keep = mask.float().expand_as(extra)
            extra = (1.0 - keep) * -1e9
        weights = torch.softmax(torch.baddbmm(extra.flatten(0, 1), q, k.transpose(1, 2)), dim=-1)
        weights = weights * keep.flatten(0, 1)
        context = torch.bmm(weights, v).view(B, self.n_heads, T_q, d_head).transpose(1, 2).reshape(B, T_q, d_model)
        output = torch.addmm(self.W_o.bias, context.flatten(0, 1), self.W_o.weight.T).view(B, T_q, d_model)
        return (output, weights.view(B, self.n_heads, T_q, T_k)) if need_weights else output


def shift_matrix(k, d_model):
    M = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = k * math.exp(-math.log(10000.0) * i / d_model)
        M[i, i] = M[i + 1, i + 1] = math.cos(angle)
        M[i, i + 1] = math.sin(angle)
        M[i + 1, i] = -math.sin(angle)
    return M


def apply_rope(x, positions, base=10000):
    d = x.shape[-1]
    angles = torch.repeat_interleave(positions[..., None] / base ** (torch.arange(0, d, 2) / d), 2, dim=-1)
    if angles.dim() == 3:
        angles = angles.unsqueeze(1)
    partner = x.unflatten(-1, (-1, 2)).flip(-1) * torch.tensor([-1.0, 1.0])
    return x * torch.cos(angles) + partner.flatten(-2) * torch.sin(angles)
