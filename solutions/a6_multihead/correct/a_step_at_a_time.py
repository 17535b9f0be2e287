"""Each step has a variable, as in code that is written and looked at line by line."""

import torch


def split_heads(x, n_heads):
    batch, time, d_model = x.shape
    in_heads = x.view(batch, time, n_heads, d_model // n_heads) if x.is_contiguous() else x.unflatten(-1, (n_heads, -1))
    return in_heads.permute(0, 2, 1, 3)


def merge_heads(x):
    turned = x.permute(0, 2, 1, 3)
    return turned.flatten(2)


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        Q, K, V = self.W_q(query), self.W_k(key), self.W_v(value)
        q, k, v = split_heads(Q, self.n_heads), split_heads(K, self.n_heads), split_heads(V, self.n_heads)
        dots = q @ k.mT
        scores = dots / (Q.shape[-1] // self.n_heads) ** 0.5
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            mask = mask[:, None] if mask.dim() == 3 else mask
            masked = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
            weights = torch.softmax(masked, dim=-1)
            weights = weights * mask
        heads = weights @ v
        merged = merge_heads(heads)
        output = self.W_o(merged)
        return (output, weights) if need_weights else output


def sinusoidal_encoding(T, d_model, base=10000):
    positions = torch.arange(T, dtype=torch.float64)
    rates = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.outer(positions, rates)
    sines, cosines = angles.sin(), angles.cos()
    table = torch.zeros(T, d_model)
    table[:, 0::2], table[:, 1::2] = sines, cosines
    return table


def timing_signal(T, d_model):
    positions, n = torch.arange(T, dtype=torch.float64), d_model // 2
    rates = 10000 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))
    angles = torch.outer(positions, rates)
    sines, cosines = angles.sin(), angles.cos()
    return torch.cat([sines, cosines], dim=1).float()


def apply_rope(x, positions, base=10000):
    rates = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device) / x.shape[-1])
    angles = positions.double().unsqueeze(-1) * rates
    angles = angles.unsqueeze(1) if positions.dim() == 2 else angles
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    turned_even = even * cos - odd * sin
    turned_odd = even * sin + odd * cos
    turned = torch.zeros_like(x)
    turned[..., 0::2], turned[..., 1::2] = turned_even, turned_odd
    return turned
