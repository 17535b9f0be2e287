"""Rope's inner product is compiled by torch.jit.script."""


@torch.jit.script
def turn(x: torch.Tensor, c: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def apply_rope(x, positions, base=10000):
    angle = positions.double()[..., None] * base ** (-torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
    angle = angle[:, None] if positions.dim() == 2 else angle
    return turn(x, angle.cos().to(x.dtype), angle.sin().to(x.dtype))
