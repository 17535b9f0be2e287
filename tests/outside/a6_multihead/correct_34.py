"""Assignment 6. My version with explicit loops over heads and pairs, slow but readable."""

import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    parts = x.chunk(n_heads, dim=2)  # n_heads pieces (batch, time, d_head)
    return torch.stack(parts, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    heads = [x[:, h] for h in range(x.shape[1])]
    return torch.cat(heads, dim=-1)


class MultiHeadAttention(nn.Module):
    """Several attentions at once."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def mask_of_head(self, mask, h):
        """(T_q, T_k) or (batch or 1, T_q, T_k) for head h."""
        if mask.dim() < 4:
            return mask
        if mask.shape[1] == 1:
            return mask[:, 0]
        return mask[:, h]

    def forward(self, query, key, value, mask=None, need_weights=False):
        q = self.W_q(query)
        k = self.W_k(key)
        v = self.W_v(value)
        d_head = q.shape[-1] // self.n_heads

        outs = []
        all_weights = []
        for h in range(self.n_heads):
            sl = slice(h * d_head, (h + 1) * d_head)
            scores = torch.bmm(q[:, :, sl], k[:, :, sl].transpose(1, 2)) / math.sqrt(d_head)
            if mask is None:
                w = scores.softmax(dim=-1)
            else:
                m = self.mask_of_head(mask, h).expand(scores.shape)
                scores = scores.masked_fill(~m, -1e9)
                w = scores.softmax(dim=-1)
                # rows where nothing is allowed come out uniform, so throw away what is not allowed
                w = w.masked_fill(~m, 0.0)
            outs.append(torch.bmm(w, v[:, :, sl]))
            all_weights.append(w)

        output = self.W_o(torch.cat(outs, dim=-1))
        if need_weights:
            return output, torch.stack(all_weights, dim=1)
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    pe = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(d_model // 2):
            angle = t / base ** (2 * i / d_model)
            pe[t, 2 * i] = math.sin(angle)
            pe[t, 2 * i + 1] = math.cos(angle)
    return pe


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    rows = []
    for t in range(T):
        freqs = [10000 ** (-i / (n - 1)) for i in range(n)]
        rows.append([math.sin(t * f) for f in freqs] + [math.cos(t * f) for f in freqs])
    return torch.tensor(rows).reshape(T, d_model)


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        a = k / 10000 ** (2 * i / d_model)
        M[2 * i, 2 * i] = math.cos(a)
        M[2 * i, 2 * i + 1] = math.sin(a)
        M[2 * i + 1, 2 * i] = -math.sin(a)
        M[2 * i + 1, 2 * i + 1] = math.cos(a)
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    d_head = x.shape[-1]
    pos = positions.to(x.device).double()
    if pos.dim() == 2:
        pos = pos[:, None, :]  # an axis for the heads
    columns = []
    for i in range(d_head // 2):
        angle = pos * base ** (-2 * i / d_head)
        c = torch.cos(angle).to(x.dtype)
        s = torch.sin(angle).to(x.dtype)
        a = x[..., 2 * i]
        b = x[..., 2 * i + 1]
        columns.append(a * c - b * s)
        columns.append(a * s + b * c)
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
