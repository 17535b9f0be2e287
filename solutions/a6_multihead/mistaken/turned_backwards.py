"""The student multiplies by exp(-i angle)."""

import torch


def apply_rope(x, positions, base=10000):
    d = x.shape[-1]
    pairs = torch.arange(d // 2, dtype=torch.float64)
    angle = positions.to(torch.float64)[..., None] / base ** (2 * pairs / d)
    if positions.ndim == 2:
        angle = angle[:, None]
    spin = torch.exp(torch.complex(torch.zeros_like(angle), -angle))
    z = torch.complex(x[..., ::2].double(), x[..., 1::2].double()) * spin
    out = torch.empty_like(x)
    out[..., ::2], out[..., 1::2] = z.real.to(x.dtype), z.imag.to(x.dtype)
    return out
