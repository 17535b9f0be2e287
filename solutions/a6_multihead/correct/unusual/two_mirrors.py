"""To turn is to reflect twice: first at the first axis, then at a line that leans by half of the angle."""


def apply_rope(x, positions, base=10000):
    half = positions[..., None].to(torch.float64) / base ** (torch.arange(0, x.shape[-1], 2).double() / x.shape[-1]) / 2
    mirror = torch.stack((half.cos(), half.sin()), dim=-1).to(x.dtype)
    mirror = mirror[:, None] if positions.ndim == 2 else mirror[None, None]
    pairs = x.reshape(*x.shape[:-1], -1, 2) * torch.tensor([1.0, -1.0])
    along = (pairs * mirror).sum(-1, keepdim=True)
    return (2 * along * mirror - pairs).reshape(x.shape)


def shift_matrix(k, d_model):
    """The encoding is what rope makes of sines and cosines: rows of the identity, turned."""
    eye = torch.eye(d_model, dtype=torch.float64)[None, None]
    return apply_rope(eye, torch.full((d_model,), k)).squeeze().float()
