import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    batch, time, d_model = x.shape
    return x.reshape(batch, time, n_heads, d_model // n_heads).transpose(1, 2)


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
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            # a finite filler keeps rows without any True free of NaN; the second line makes them zero
            weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
            weights = weights.masked_fill(~mask, 0.0)
        else:
            weights = scores.softmax(dim=-1)
        output = self.W_o(merge_heads(weights @ v))
        return (output, weights) if need_weights else output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    t = torch.arange(T, dtype=torch.float64)[:, None]
    omega = float(base) ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    PE = torch.empty(T, d_model)
    PE[:, 0::2] = torch.sin(t * omega)
    PE[:, 1::2] = torch.cos(t * omega)
    return PE


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    f = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))
    angles = torch.arange(T, dtype=torch.float64)[:, None] * f
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = torch.tensor(k * 10000.0 ** (-2 * i / d_model), dtype=torch.float64)
        c, s = angle.cos(), angle.sin()
        M[2 * i, 2 * i] = c
        M[2 * i, 2 * i + 1] = s
        M[2 * i + 1, 2 * i] = -s
        M[2 * i + 1, 2 * i + 1] = c
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    d_head = x.shape[-1]
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float32, device=x.device) / d_head)
    angle = positions[..., None].to(x.device) * theta  # (time, pairs) or (batch, time, pairs)
    if angle.dim() == 3:
        angle = angle[:, None]
    cos, sin = angle.cos(), angle.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return turned.flatten(-2)


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
