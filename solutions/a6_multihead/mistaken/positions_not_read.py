"""The student counts the positions from the shape."""

import torch


def apply_rope(x, positions, base=10000):
    b, h, t, d = x.shape
    w = float(base) ** (-torch.arange(0, d, 2).double() / d)
    angle = torch.outer(torch.arange(t).double(), w)
    z = torch.view_as_complex(x.double().reshape(b, h, t, d // 2, 2))
    z = z * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(z).reshape(b, h, t, d).to(x.dtype)
