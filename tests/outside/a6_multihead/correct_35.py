import torch
from torch import nn, Tensor


# ---------------------------------------------------------------- helpers
def frequencies(n_pairs: int, d: int, base: float) -> Tensor:
    i = torch.arange(n_pairs, dtype=torch.float64)
    return torch.exp(-2 * i / d * torch.log(torch.tensor(float(base), dtype=torch.float64)))


def safe_softmax(scores: Tensor, allowed: Tensor | None) -> Tensor:
    """Softmax written out, so that I can leave out hidden keys; empty rows give zeros."""
    if allowed is None:
        allowed = torch.ones(1, 1, dtype=torch.bool, device=scores.device)
    shifted = torch.where(allowed, scores, torch.full_like(scores, torch.finfo(scores.dtype).min / 4))
    top = shifted.amax(dim=-1, keepdim=True).detach()
    e = (shifted - top).exp() * allowed
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


# ---------------------------------------------------------------- heads
def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    return x.unflatten(-1, (n_heads, -1)).permute(0, 2, 1, 3)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.einsum("bhtd->bthd", x).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
        need_weights: bool = False,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        queries = split_heads(self.W_q(query), self.n_heads)
        keys = split_heads(self.W_k(key), self.n_heads)
        values = split_heads(self.W_v(value), self.n_heads)

        scores = torch.einsum("bhqd,bhkd->bhqk", queries, keys)
        scores = scores * queries.size(-1) ** -0.5

        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        weights = safe_softmax(scores, mask)

        context = torch.einsum("bhqk,bhkd->bhqd", weights, values)
        output = self.W_o(merge_heads(context))
        return (output, weights) if need_weights else output


# ---------------------------------------------------------------- positions
def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    t = torch.arange(T, dtype=torch.float64)
    angles = t[:, None] * frequencies(d_model // 2, d_model, base)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1).float()


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    f = torch.logspace(0, -4, d_model // 2, dtype=torch.float64)
    phase = torch.outer(torch.arange(T, dtype=torch.float64), f)
    return torch.hstack([phase.sin(), phase.cos()]).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    angles = k * frequencies(d_model // 2, d_model, 10000)
    blocks = [
        torch.stack([torch.stack([a.cos(), a.sin()]), torch.stack([-a.sin(), a.cos()])])
        for a in angles
    ]
    return torch.block_diag(*blocks).float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    # pairs as complex numbers: turning by an angle is a product with exp(i angle)
    d_head = x.shape[-1]
    theta = frequencies(d_head // 2, d_head, base).to(x.device)
    angle = positions.to(x.device)[..., None].double() * theta
    turn = torch.polar(torch.ones_like(angle), angle)
    if positions.ndim == 2:
        turn = turn.unsqueeze(1)
    z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], d_head // 2, 2))
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)


def quiz() -> dict[str, str]:
    return dict(
        what_heads_add="c",
        without_positions="b",
        where_rope="a",
        silent_bias="d",
        cost_of_heads="b",
        shape_of_split="c",
        wrong_view="a",
        angle_between="d",
    )
