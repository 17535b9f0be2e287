"""The student remembers rotate_half from a library."""

import torch


def apply_rope(x, positions, base=10000):
    d = x.size(-1)
    inverse = 1.0 / base ** (torch.arange(0, d, 2).double() / d)
    angle = positions.double().unsqueeze(-1) * inverse
    angle = torch.cat([angle, angle], -1)
    if angle.dim() == 3:
        angle = angle[:, None]
    a, b = x.chunk(2, dim=-1)
    rotated = torch.cat([-b, a], dim=-1)
    return x * angle.cos().to(x.dtype) + rotated * angle.sin().to(x.dtype)
