"""RoPE reads its sines and cosines from the encoding of as many positions as it needs."""

import torch


def apply_rope(x, positions, base=10000):
    table = sinusoidal_encoding(int(positions.max()) + 1, x.shape[-1], base)[positions].to(x.dtype)
    rows = table[:, None] if positions.ndim == 2 else table
    sin, cos = rows[..., 0::2], rows[..., 1::2]
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
