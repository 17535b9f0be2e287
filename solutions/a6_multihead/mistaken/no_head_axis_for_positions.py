"""The student lets positions of all shapes broadcast as they come."""

import torch


def apply_rope(x, positions, base=10000):
    d = x.shape[-1]
    cos, sin = torch.zeros(*positions.shape, d // 2), torch.zeros(*positions.shape, d // 2)
    for i in range(d // 2):
        angle = positions.double() * base ** (-2 * i / d)
        cos[..., i], sin[..., i] = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    y = torch.zeros_like(x)
    y[..., 0::2] = a * cos - b * sin
    y[..., 1::2] = b * cos + a * sin
    return y
