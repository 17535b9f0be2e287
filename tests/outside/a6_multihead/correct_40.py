import math

import torch
from torch import nn


def split_heads(x, n_heads):
    batch, time, d_model = x.shape
    d_head = d_model // n_heads
    cut = x.reshape(batch, time, n_heads, d_head)
    return cut.permute(0, 2, 1, 3)


def merge_heads(x):
    batch, heads, time, d_head = x.shape
    back = x.permute(0, 2, 1, 3)
    return back.reshape(batch, time, heads * d_head)


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
        d_head = q.shape[-1]
        scores = q @ k.transpose(-2, -1) / math.sqrt(d_head)
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            mask = mask.expand(scores.shape)
            scores = scores.masked_fill(~mask, -1e9)
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(~mask, 0.0)
        mixed = weights @ v
        output = self.W_o(merge_heads(mixed))
        if need_weights:
            return output, weights
        return output


def sinusoidal_encoding(T, d_model, base=10000):
    t = torch.arange(T, dtype=torch.float32)
    i = torch.arange(d_model // 2, dtype=torch.float32)
    omega = base ** (-2 * i / d_model)
    angle = t[:, None] * omega[None, :]
    PE = torch.zeros(T, d_model)
    PE[:, 0::2] = torch.sin(angle)
    PE[:, 1::2] = torch.cos(angle)
    return PE


def timing_signal(T, d_model):
    n = d_model // 2
    i = torch.arange(n, dtype=torch.float32)
    freq = 10000.0 ** (-i / (n - 1))
    t = torch.arange(T, dtype=torch.float32)
    angle = t[:, None] * freq[None, :]
    return torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)


def shift_matrix(k, d_model):
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        w = 10000.0 ** (-2 * i / d_model)
        c = math.cos(k * w)
        s = math.sin(k * w)
        M[2 * i, 2 * i] = c
        M[2 * i, 2 * i + 1] = s
        M[2 * i + 1, 2 * i] = -s
        M[2 * i + 1, 2 * i + 1] = c
    return M


def apply_rope(x, positions, base=10000):
    d_head = x.shape[-1]
    i = torch.arange(d_head // 2, dtype=x.dtype, device=x.device)
    theta = base ** (-2 * i / d_head)
    angle = positions[..., None].to(x.dtype) * theta
    if positions.dim() == 2:
        angle = angle.unsqueeze(1)
    c = torch.cos(angle)
    s = torch.sin(angle)
    even = x[..., 0::2]
    odd = x[..., 1::2]
    new_even = even * c - odd * s
    new_odd = even * s + odd * c
    return torch.stack([new_even, new_odd], dim=-1).flatten(-2)


def quiz() -> dict[str, str]:
    answers = {
        "what_heads_add": "c",
        "without_positions": "b",
        "where_rope": "a",
        "silent_bias": "d",
        "cost_of_heads": "b",
        "shape_of_split": "c",
        "wrong_view": "a",
        "angle_between": "d",
    }
    return answers
