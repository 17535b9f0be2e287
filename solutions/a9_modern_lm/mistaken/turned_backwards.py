"""The student multiplies by the conjugate."""

import torch


def rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    angles = torch.outer(positions.double(), base ** -(torch.arange(0, d, 2).double() / d))
    numbers = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), -angles)).flatten(-2).to(x.dtype)
