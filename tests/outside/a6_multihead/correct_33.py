"""Multi-head attention, and three ways to tell a position from its neighbours, in torch.

Written out with loops over heads and pairs.
"""

import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    d_model = x.shape[2]
    d_head = d_model // n_heads
    heads = []
    for h in range(n_heads):
        start = h * d_head
        heads.append(x[:, :, start : start + d_head])
    return torch.stack(heads, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    n_heads = x.shape[1]
    parts = []
    for h in range(n_heads):
        parts.append(x[:, h])
    return torch.cat(parts, dim=-1)


def attention_weights(scores: torch.Tensor, allowed: torch.Tensor | None) -> torch.Tensor:
    """Softmax over the keys; zeros where nothing is allowed. Scores and allowed: (batch, T_q, T_k)."""
    if allowed is None:
        return torch.softmax(scores, dim=-1)
    filled = torch.where(allowed, scores, torch.full_like(scores, -1e9))
    weights = torch.softmax(filled, dim=-1)
    return torch.where(allowed, weights, torch.zeros_like(weights))


class MultiHeadAttention(nn.Module):
    """Several attentions at once, each on its own share of the features, and a linear layer that joins them."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def full_mask(self, mask: torch.Tensor, batch: int, T_q: int, T_k: int) -> torch.Tensor:
        """Bring a mask of two, three or four axes to (batch, heads, T_q, T_k)."""
        if mask.dim() == 2:
            mask = mask.unsqueeze(0).unsqueeze(0)
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        return mask.expand(batch, self.n_heads, T_q, T_k)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
        need_weights: bool = False,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        batch, T_q, d_model = query.shape
        T_k = key.shape[1]
        d_head = d_model // self.n_heads

        q = self.W_q(query)
        k = self.W_k(key)
        v = self.W_v(value)
        if mask is not None:
            mask = self.full_mask(mask, batch, T_q, T_k)

        all_weights = []
        all_results = []
        for h in range(self.n_heads):
            mine = slice(h * d_head, (h + 1) * d_head)
            scores = torch.bmm(q[:, :, mine], k[:, :, mine].transpose(1, 2))
            scores = scores / math.sqrt(d_head)
            if mask is None:
                weights = attention_weights(scores, None)
            else:
                weights = attention_weights(scores, mask[:, h])
            all_weights.append(weights)
            all_results.append(torch.bmm(weights, v[:, :, mine]))

        merged = torch.cat(all_results, dim=-1)
        output = self.W_o(merged)
        if need_weights:
            return output, torch.stack(all_weights, dim=1)
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    pe = torch.zeros(T, d_model)
    t = torch.arange(T, dtype=torch.float64)
    for i in range(d_model // 2):
        omega = 1.0 / base ** (2 * i / d_model)
        pe[:, 2 * i] = torch.sin(t * omega)
        pe[:, 2 * i + 1] = torch.cos(t * omega)
    return pe


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    t = torch.arange(T, dtype=torch.float64)
    sines = []
    cosines = []
    for i in range(n):
        f = 10000.0 ** (-i / (n - 1))
        sines.append(torch.sin(t * f))
        cosines.append(torch.cos(t * f))
    columns = sines + cosines
    return torch.stack(columns, dim=1).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        omega = 1.0 / 10000.0 ** (2 * i / d_model)
        cos = math.cos(k * omega)
        sin = math.sin(k * omega)
        s, c = 2 * i, 2 * i + 1
        # new sine = old sine * cos + old cosine * sin
        M[s, s] = cos
        M[s, c] = sin
        # new cosine = old cosine * cos - old sine * sin
        M[c, s] = -sin
        M[c, c] = cos
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    batch, n_heads, time, d_head = x.shape
    if positions.dim() == 1:
        positions = positions.unsqueeze(0)
    p = positions.to(torch.float64)
    columns = []
    for i in range(d_head // 2):
        theta = base ** (-2 * i / d_head)
        # (batch or 1, time) to (batch or 1, 1, time): the same for all heads
        angle = (p * theta).unsqueeze(1)
        cos = torch.cos(angle).to(x.dtype)
        sin = torch.sin(angle).to(x.dtype)
        first = x[:, :, :, 2 * i]
        second = x[:, :, :, 2 * i + 1]
        columns.append(first * cos - second * sin)
        columns.append(first * sin + second * cos)
    return torch.stack(columns, dim=-1)


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
