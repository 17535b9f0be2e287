"""Multi-head attention with a loop over the heads, and positions written out number by number."""

import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    d_head = x.shape[-1] // n_heads
    parts = []
    for h in range(n_heads):
        parts.append(x[:, :, h * d_head : (h + 1) * d_head])
    return torch.stack(parts, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    heads = [x[:, h] for h in range(x.shape[1])]
    return torch.cat(heads, dim=-1)


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
        found = []
        maps = []
        for h in range(self.n_heads):
            scores = q[:, h] @ k[:, h].transpose(1, 2) / math.sqrt(q.shape[-1])
            w = self._weights_of_one_head(scores, self._mask_of_one_head(mask, h))
            maps.append(w)
            found.append(w @ v[:, h])
        output = self.W_o(merge_heads(torch.stack(found, dim=1)))
        if need_weights:
            return output, torch.stack(maps, dim=1)
        return output

    @staticmethod
    def _mask_of_one_head(mask, h):
        """What head h gets of the mask: something that fits to (batch, T_q, T_k)."""
        if mask is None or mask.dim() < 4:
            return mask
        return mask[:, h if mask.shape[1] > 1 else 0]

    @staticmethod
    def _weights_of_one_head(scores, allowed):
        if allowed is None:
            return torch.softmax(scores, dim=-1)
        scores = scores.masked_fill(~allowed, -math.inf)
        peak = scores.amax(dim=-1, keepdim=True)
        nothing = peak == -math.inf
        e = torch.exp(scores - peak.masked_fill(nothing, 0.0))
        total = e.sum(dim=-1, keepdim=True)
        return e / total.masked_fill(nothing, 1.0)


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
    signal = torch.zeros(T, d_model)
    for i in range(n):
        f = 10000 ** (-i / (n - 1))
        for t in range(T):
            signal[t, i] = math.sin(t * f)
            signal[t, n + i] = math.cos(t * f)
    return signal


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k * 10000 ** (-2 * i / d_model)
        s, c = 2 * i, 2 * i + 1
        M[s, s] = math.cos(angle)
        M[s, c] = math.sin(angle)
        M[c, s] = -math.sin(angle)
        M[c, c] = math.cos(angle)
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    batch, heads, time, d_head = x.shape
    p = positions.to(torch.float64)
    if p.dim() == 2:
        p = p.unsqueeze(1)  # the same for all heads
    columns = []
    for i in range(d_head // 2):
        angle = p * base ** (-2 * i / d_head)
        cos = torch.cos(angle).to(x.dtype)
        sin = torch.sin(angle).to(x.dtype)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        columns.append(a * cos - b * sin)
        columns.append(a * sin + b * cos)
    return torch.stack(columns, dim=-1)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_heads_add": "",
        "without_positions": "",
        "where_rope": "",
        "silent_bias": "",
        "cost_of_heads": "",
        "shape_of_split": "",
        "wrong_view": "",
        "angle_between": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
