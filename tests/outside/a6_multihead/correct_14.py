"""Multi-head attention and positional encodings, the short way."""

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return x.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    """Several attentions at once, each on its own share of the features, and a linear layer that joins them."""

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
        q, k, v = (
            split_heads(proj(z), self.n_heads).flatten(0, 1)  # (batch * heads, time, d_head), for bmm
            for proj, z in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        bias = torch.zeros((), dtype=q.dtype, device=q.device)
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(0 if mask.dim() == 2 else 1)
            bias = (~mask).to(q.dtype) * -1e9
        s = torch.bmm(q * q.size(-1) ** -0.5, k.mT).unflatten(0, (query.size(0), self.n_heads)) + bias
        a = s.softmax(-1)
        if mask is not None:
            a = a * mask.any(-1, keepdim=True)
        o = torch.bmm(a.flatten(0, 1), v).unflatten(0, (query.size(0), self.n_heads))
        out = self.W_o(merge_heads(o))
        return (out, a) if need_weights else out


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    j = torch.arange(d_model, dtype=torch.float64)
    even = j - j % 2
    phase = (j % 2) * torch.pi / 2  # cos is sin, a quarter turn ahead
    return torch.sin(torch.arange(T)[:, None] / base ** (even / d_model) + phase).float()


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    n = d_model // 2
    f = 10000.0 ** torch.linspace(0, -1, n, dtype=torch.float64)
    a = torch.outer(torch.arange(T).double(), f)
    return torch.stack([a.sin(), a.cos()], 1).flatten(1).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    # exp of a skew-symmetric matrix is a rotation
    w = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    up = torch.zeros(d_model - 1, dtype=torch.float64)
    up[::2] = w
    G = torch.diag(up, 1)
    return torch.linalg.matrix_power(torch.linalg.matrix_exp(G - G.T), k).float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    d = x.size(-1)
    theta = base ** (-torch.arange(0, d, 2, device=x.device).double() / d)
    angle = (positions.unsqueeze(-1) * theta).repeat_interleave(2, -1)
    angle = angle.unsqueeze(-3)  # heads
    turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * angle.cos().to(x.dtype) + turned * angle.sin().to(x.dtype)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_heads_add": "",
        "without_positions": "",
        "where_rope": "",
        "silent_bias": "",
        "cost_of_heads": "",
        "shape_of_split": "",
        "wrong_view": "",
        "angle_between": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
