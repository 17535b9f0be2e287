"""Multi-head attention and positions in torch, step by step with loops."""

import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    d_head = x.shape[2] // n_heads
    heads = []
    for h in range(n_heads):
        heads.append(x[:, :, h * d_head : (h + 1) * d_head])
    return torch.stack(heads, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    n_heads = x.shape[1]
    parts = []
    for h in range(n_heads):
        parts.append(x[:, h])
    return torch.cat(parts, dim=-1)


class MultiHeadAttention(nn.Module):
    """Several attentions at once, one after another in a loop, and a linear layer that joins them."""

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
        batch, T_q, d_model = query.shape
        T_k = key.shape[1]
        d_head = d_model // self.n_heads
        q = split_heads(self.W_q(query), self.n_heads)
        k = split_heads(self.W_k(key), self.n_heads)
        v = split_heads(self.W_v(value), self.n_heads)

        if mask is None:
            allowed = torch.ones(batch, self.n_heads, T_q, T_k, dtype=torch.bool, device=query.device)
        elif mask.dim() == 3:
            allowed = mask[:, None].expand(batch, self.n_heads, T_q, T_k)
        else:
            allowed = mask.expand(batch, self.n_heads, T_q, T_k)

        all_weights = []
        all_read = []
        for b in range(batch):
            weights_b = []
            read_b = []
            for h in range(self.n_heads):
                rows = []
                for i in range(T_q):
                    ok = allowed[b, h, i]
                    if not ok.any():
                        rows.append(torch.zeros(T_k, dtype=q.dtype, device=q.device))
                        continue
                    scores = k[b, h] @ q[b, h, i] / math.sqrt(d_head)
                    scores = torch.where(ok, scores, torch.full_like(scores, -math.inf))
                    rows.append(torch.softmax(scores, dim=0))
                w = torch.stack(rows)
                weights_b.append(w)
                read_b.append(w @ v[b, h])
            all_weights.append(torch.stack(weights_b))
            all_read.append(torch.stack(read_b))
        weights = torch.stack(all_weights)
        output = self.W_o(merge_heads(torch.stack(all_read)))
        if need_weights:
            return output, weights
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    pe = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(d_model // 2):
            omega = 1 / base ** (2 * i / d_model)
            pe[t, 2 * i] = math.sin(t * omega)
            pe[t, 2 * i + 1] = math.cos(t * omega)
    return pe


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    signal = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(n):
            f = 10000 ** (-i / (n - 1))
            signal[t, i] = math.sin(t * f)
            signal[t, n + i] = math.cos(t * f)
    return signal


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k / 10000 ** (2 * i / d_model)
        s, c = 2 * i, 2 * i + 1
        # new sine = sin cos(k w) + cos sin(k w)
        M[s, s] = math.cos(angle)
        M[s, c] = math.sin(angle)
        # new cosine = cos cos(k w) - sin sin(k w)
        M[c, s] = -math.sin(angle)
        M[c, c] = math.cos(angle)
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    batch, heads, time, d_head = x.shape
    if positions.dim() == 1:
        p = positions.expand(batch, time)
    else:
        p = positions
    p = p[:, None, :].double()
    columns = []
    for i in range(d_head // 2):
        angle = p * base ** (-2 * i / d_head)
        cos = torch.cos(angle).to(x.dtype)
        sin = torch.sin(angle).to(x.dtype)
        first = x[..., 2 * i]
        second = x[..., 2 * i + 1]
        columns.append(first * cos - second * sin)
        columns.append(first * sin + second * cos)
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
