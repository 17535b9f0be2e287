import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    heads = x.unbind(dim=1)  # each (batch, time, d_head)
    return torch.cat(heads, dim=-1)


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

        # b = batch, h = head, q = query position, k = key position, d = feature of a head
        q = self.W_q(query).reshape(batch, T_q, self.n_heads, d_head)
        k = self.W_k(key).reshape(batch, T_k, self.n_heads, d_head)
        v = self.W_v(value).reshape(batch, T_k, self.n_heads, d_head)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * d_head**-0.5

        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None, :, :]
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask  # a row without a single key would be uniform, but has to be zero

        read = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        output = self.W_o(read.reshape(batch, T_q, d_model))
        return (output, weights) if need_weights else output


def frequencies(d: int, base: float = 10000, device=None) -> torch.Tensor:
    """One frequency for each pair of features: base^(-2i / d)."""
    i = torch.arange(d // 2, dtype=torch.float64, device=device)
    return base ** (-2 * i / d)


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    angles = torch.outer(torch.arange(T, dtype=torch.float64), frequencies(d_model, base))
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (T, pairs, 2)
    return pairs.flatten(start_dim=1).float()


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    freqs = torch.logspace(0, -4, d_model // 2, dtype=torch.float64)
    angles = torch.arange(T, dtype=torch.float64)[:, None] * freqs[None, :]
    return torch.hstack([angles.sin(), angles.cos()]).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    angles = k * frequencies(d_model)
    c, s = angles.cos(), angles.sin()
    blocks = [torch.tensor([[c_i, s_i], [-s_i, c_i]]) for c_i, s_i in zip(c.tolist(), s.tolist())]
    return torch.block_diag(*blocks)


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    batch, heads, time, d_head = x.shape
    if positions.ndim == 1:
        positions = positions[None, :]
    angles = positions[:, None, :, None] * frequencies(d_head, base, x.device)  # (batch or 1, 1, time, pairs)
    turn = torch.polar(torch.ones_like(angles), angles)

    z = torch.complex(x[..., 0::2], x[..., 1::2])
    turned = torch.view_as_real(z * turn)  # (batch, heads, time, pairs, 2)
    return turned.reshape(batch, heads, time, d_head).to(x.dtype)


def quiz() -> dict[str, str]:
    return {
        "what_heads_add": "c",
        "without_positions": "b",
        "where_rope": "a",
        "silent_bias": "d",
        "cost_of_heads": "b",
        "shape_of_split": "c",
        "wrong_view": "a",
        "angle_between": "d",
    }
