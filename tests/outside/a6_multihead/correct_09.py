import torch
import math
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    d_head = x.size(2) // n_heads
    parts = []
    for h in range(n_heads):
        parts.append(x[:, :, h * d_head : (h + 1) * d_head])
    return torch.stack(parts, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[:, h] for h in range(x.size(1))], dim=-1)


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
        Q, K, V = self.W_q(query), self.W_k(key), self.W_v(value)
        B, T_q, d_model = Q.shape
        T_k = K.size(1)
        d_head = d_model // self.n_heads
        # bring the mask to (B, heads, T_q, T_k), whatever it was
        if mask is None:
            full = torch.ones(B, self.n_heads, T_q, T_k, dtype=torch.bool, device=Q.device)
        elif mask.dim() == 2:
            full = mask[None, None].expand(B, self.n_heads, T_q, T_k)
        elif mask.dim() == 3:
            full = mask[:, None].expand(B, self.n_heads, T_q, T_k)
        else:
            full = mask.expand(B, self.n_heads, T_q, T_k)
        results, maps = [], []
        for h in range(self.n_heads):
            lo, hi = h * d_head, (h + 1) * d_head
            q_h, k_h, v_h = Q[..., lo:hi], K[..., lo:hi], V[..., lo:hi]
            s = torch.bmm(q_h, k_h.transpose(1, 2)) / math.sqrt(d_head)
            m = full[:, h]
            empty = ~m.any(dim=-1, keepdim=True)
            # empty rows may look everywhere for a moment, so that there is no nan
            s = s.masked_fill(~(m | empty), float("-inf"))
            a = torch.softmax(s, dim=2)
            a = a.masked_fill(empty, 0.0)
            results.append(torch.bmm(a, v_h))
            maps.append(a)
        out = self.W_o(torch.cat(results, dim=2))
        if need_weights:
            return out, torch.stack(maps, dim=1)
        return out


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    rows = []
    for t in range(T):
        row = []
        for i in range(d_model // 2):
            angle = t / base ** (2 * i / d_model)
            row.append(math.sin(angle))
            row.append(math.cos(angle))
        rows.append(row)
    return torch.tensor(rows)


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    out = torch.zeros((T, d_model))
    for t in range(T):
        for i in range(n):
            f = 10000 ** (-i / (n - 1))
            out[t, i] = math.sin(t * f)
            out[t, n + i] = math.cos(t * f)
    return out


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    blocks = []
    for i in range(d_model // 2):
        w = 1 / 10000 ** (2 * i / d_model)
        blocks.append(
            torch.tensor([[math.cos(k * w), math.sin(k * w)], [-math.sin(k * w), math.cos(k * w)]])
        )
    return torch.block_diag(*blocks)


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    batch, heads, time, d_head = x.shape
    p = positions if positions.dim() == 2 else positions.expand(batch, time)
    columns = []
    for i in range(d_head // 2):
        angle = p * base ** (-2 * i / d_head)
        c = torch.cos(angle)[:, None, :]
        s = torch.sin(angle)[:, None, :]
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
