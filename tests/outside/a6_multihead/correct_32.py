"""Multi-head attention and positions, short version."""

import math

import torch
from torch import nn


def split_heads(x, n_heads):
    B, T, D = x.shape
    return x.reshape(B, T, n_heads, D // n_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q = split_heads(self.W_q(query), self.n_heads)
        k = split_heads(self.W_k(key), self.n_heads)
        v = split_heads(self.W_v(value), self.n_heads)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            if mask.dim() == 3:
                mask = mask[:, None]
            hidden = ~mask
            low = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(hidden, low).softmax(dim=-1).masked_fill(hidden, 0)
        output = self.W_o(merge_heads(weights @ v))
        return (output, weights) if need_weights else output


def frequencies(d, base=10000):
    return base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def sinusoidal_encoding(T, d_model, base=10000):
    angles = torch.arange(T, dtype=torch.float64)[:, None] * frequencies(d_model, base)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(T, d_model).float()


def timing_signal(T, d_model):
    n = d_model // 2
    f = 10000 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))
    angles = torch.arange(T, dtype=torch.float64)[:, None] * f
    return torch.cat([angles.sin(), angles.cos()], dim=-1).float()


def shift_matrix(k, d_model):
    a = k * frequencies(d_model)
    M = torch.zeros(d_model, d_model)
    i = torch.arange(0, d_model, 2)
    M[i, i] = M[i + 1, i + 1] = a.cos().float()
    M[i, i + 1] = a.sin().float()
    M[i + 1, i] = -a.sin().float()
    return M


def apply_rope(x, positions, base=10000):
    angles = positions[..., None] * frequencies(x.shape[-1], base).to(x.device)
    if positions.dim() == 2:
        angles = angles[:, None]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def quiz():
    return {
        "what_heads_add": "c",
        "without_positions": "b",
        "where_rope": "a",
        "silent_bias": "d",
        "cost_of_heads": "b",
        "shape_of_split": "c",
        "wrong_view": "a",
        "angle_between": "d",
    }
