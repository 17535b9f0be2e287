"""Multi-head attention, and three ways to tell a position from its neighbours, in torch."""

import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    batch, time, d_model = x.shape
    x = x.reshape(batch, time, n_heads, d_model // n_heads)  # cut the features first,
    return x.transpose(1, 2)  # then move the heads in front of time


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    batch, heads, time, d_head = x.shape
    return x.transpose(1, 2).reshape(batch, time, heads * d_head)


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

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
        need_weights: bool = False,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        q = split_heads(self.W_q(query), self.n_heads)
        k = split_heads(self.W_k(key), self.n_heads)
        v = split_heads(self.W_v(value), self.n_heads)

        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])

        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)  # (batch, 1, T_q, T_k)
            sees_something = mask.any(dim=-1, keepdim=True)
            # rows without any key keep their scores for the moment, so that the softmax is an ordinary one
            scores = scores.masked_fill(~mask & sees_something, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(~sees_something, 0.0)

        output = self.W_o(merge_heads(weights @ v))
        if need_weights:
            return output, weights
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    t = torch.arange(T, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float32)
    angles = t / base ** (two_i / d_model)
    pe = torch.zeros(T, d_model)
    pe[:, 0::2] = torch.sin(angles)
    pe[:, 1::2] = torch.cos(angles)
    return pe


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    t = torch.arange(T, dtype=torch.float32).unsqueeze(1)
    f = 10000.0 ** (-torch.arange(n, dtype=torch.float32) / (n - 1))
    return torch.cat([torch.sin(t * f), torch.cos(t * f)], dim=1)


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k / 10000 ** (2 * i / d_model)
        M[2 * i, 2 * i] = math.cos(angle)
        M[2 * i, 2 * i + 1] = math.sin(angle)
        M[2 * i + 1, 2 * i] = -math.sin(angle)
        M[2 * i + 1, 2 * i + 1] = math.cos(angle)
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    d_head = x.shape[-1]
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64, device=x.device) / d_head)
    angles = positions.to(x.device)[..., None] * theta  # (time, d_head / 2) or (batch, time, d_head / 2)
    if positions.dim() == 2:
        angles = angles.unsqueeze(1)  # the same for all heads
    cos = torch.cos(angles).to(x.dtype)
    sin = torch.sin(angles).to(x.dtype)

    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out


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
