"""The student copies rotate_half from memory and counts positions from the shape."""

import torch


def apply_rope(x, positions, base=10000):
    t, d = x.shape[-2:]
    half = d // 2
    angle = torch.arange(t).double()[:, None] * torch.pow(float(base), -torch.arange(half).double() / half)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)
