"""Rope as x cos + y sin, where y has neighbours exchanged and a sign; angles are repeated for both of a pair."""


def exchanged(x):
    signs = torch.tensor([-1.0, 1.0]).repeat(x.shape[-1] // 2).to(x)
    return x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2) * signs


def apply_rope(x, positions, base=10000):
    turns = torch.arange(x.shape[-1]).div(2, rounding_mode="trunc").mul(2).double() / x.shape[-1]
    angle = positions.double().unsqueeze(-1) * torch.tensor(base).double().pow(turns.neg())
    angle = angle if positions.dim() < 2 else angle[:, None]
    return torch.addcmul(x * angle.cos().to(x), exchanged(x), angle.sin().to(x))
