import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    return torch.stack(torch.chunk(x, n_heads, dim=-1), dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)


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
        B, T_q, d_model = query.shape
        T_k = key.shape[1]
        H = self.n_heads
        d = d_model // H
        if mask is None:
            mask = torch.ones(1, 1, T_q, T_k, dtype=torch.bool, device=query.device)
        elif mask.ndim == 2:
            mask = mask[None, None]
        elif mask.ndim == 3:
            mask = mask[:, None]
        mask = mask.expand(B, H, T_q, T_k)

        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        found, shares = [], []
        for h in range(H):
            part = slice(h * d, (h + 1) * d)
            scores = torch.einsum("bif,bjf->bij", q[..., part], k[..., part]) / math.sqrt(d)
            allowed = mask[:, h]
            top = scores.detach().masked_fill(~allowed, -math.inf).amax(dim=-1, keepdim=True)
            top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
            # where() twice: the forbidden exponentials must not become infinite either, or gradients do
            powers = torch.exp(torch.where(allowed, scores - top, torch.zeros_like(scores))) * allowed
            total = powers.sum(dim=-1, keepdim=True)
            a = powers / torch.where(total == 0, torch.ones_like(total), total)
            shares.append(a)
            found.append(torch.einsum("bij,bjf->bif", a, v[..., part]))
        output = self.W_o(torch.cat(found, dim=-1))
        if need_weights:
            return output, torch.stack(shares, dim=1)
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    rows = []
    for t in range(T):
        row = []
        for i in range(d_model // 2):
            angle = t / base ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32).reshape(T, d_model)


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    step = math.log(10000) / (n - 1)
    signal = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(n):
            signal[t, i] = math.sin(t * math.exp(-i * step))
            signal[t, n + i] = math.cos(t * math.exp(-i * step))
    return signal


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    blocks = []
    for pair in range(d_model // 2):
        a = k / 10000 ** (2 * pair / d_model)
        blocks.append(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]))
    return torch.block_diag(*blocks)


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2).contiguous())
    freqs = torch.tensor([base ** (-2 * i / x.shape[-1]) for i in range(x.shape[-1] // 2)], device=x.device)
    angle = positions.unsqueeze(-1).float() * freqs
    turn = torch.polar(torch.ones_like(angle), angle)
    if positions.dim() == 2:
        turn = turn.unsqueeze(1)
    return torch.view_as_real(pairs * turn).reshape(x.shape).to(x.dtype)


def quiz() -> dict[str, str]:
    answers = {
        "what_heads_add": "c",
        "cost_of_heads": "a",
        "why_view_fails": "d",
        "without_positions": "b",
        "what_rotation_means": "a",
        "why_many_frequencies": "a",
        "where_rope": "b",
        "silent_bias": "c",
    }
    return answers
