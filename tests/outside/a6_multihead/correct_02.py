import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    b, t, d = x.shape
    return x.view(b, t, n_heads, d // n_heads).transpose(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    b, h, t, d = x.shape
    return x.transpose(1, 2).reshape(b, t, h * d)


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
        q, k, v = (split_heads(w(z), self.n_heads) for w, z in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        s = q @ k.mT * q.shape[-1] ** -0.5
        if mask is None:
            a = s.softmax(-1)
        else:
            m = mask.unsqueeze(1) if mask.ndim == 3 else mask
            a = s.masked_fill(~m, -1e30).softmax(-1) * m
        out = self.W_o(merge_heads(a @ v))
        return (out, a) if need_weights else out


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    t = torch.arange(T, dtype=torch.float64)[:, None]
    w = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    pe = torch.empty(T, d_model)
    pe[:, 0::2] = torch.sin(t * w)
    pe[:, 1::2] = torch.cos(t * w)
    return pe


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    f = torch.logspace(0, -4, n, dtype=torch.float64)
    a = torch.outer(torch.arange(T, dtype=torch.float64), f)
    return torch.cat([a.sin(), a.cos()], dim=1).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    a = k * 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    c, s = a.cos(), a.sin()
    return torch.block_diag(*torch.stack([c, s, -s, c], -1).view(-1, 2, 2)).float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    th = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
    a = positions.double()[..., None] * th
    a = a if positions.ndim == 1 else a[:, None]
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    e, o = x[..., 0::2], x[..., 1::2]
    return torch.stack([e * c - o * s, e * s + o * c], dim=-1).flatten(-2)


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
