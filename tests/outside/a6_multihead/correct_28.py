"""Multi-head attention, and three ways to tell a position from its neighbours, in torch.

Shapes: tensors are batch-first. A sequence is (batch, time, d_model); split into heads it is (batch, heads, time, d_head)
with d_head = d_model / heads.

    T, T_q, T_k   positions: of one sequence, of the queries, of the keys (a key and its value share a position)
    d_model       features of an input or output vector
    d_head        features of one head's queries, keys and values

Linear weights are laid out (out, in), as torch does: `nn.Linear` computes x @ weight.T + bias.

A mask is boolean: True means "this query may look at this key".

All tensors of a call are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.arange(T, device=x.device). Functions that are given no tensor make theirs on the CPU.

No function here changes the tensors it is given. Each may call any other of this file, also one further down.
"""

import torch
from torch import nn


def frequencies(d, base=10000.0):
    """One frequency for each pair of d features."""
    pair = torch.arange(d // 2, dtype=torch.float64)
    return 1.0 / base ** (2 * pair / d)


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Cut the features of every position into n_heads parts, and put the heads where a batched product wants them."""
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put what the heads found side by side again: undo split_heads."""
    b, h, t, d = x.size()
    out = x.transpose(1, 2).contiguous()
    return out.view(b, t, h * d)


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
        """Let every query position read the value positions, once for each head."""
        B, T_q, d_model = query.shape
        T_k = key.shape[1]
        H = self.n_heads
        d_head = d_model // H
        # batch and heads in one axis, for bmm
        q = split_heads(self.W_q(query), H).reshape(B * H, T_q, d_head)
        k = split_heads(self.W_k(key), H).reshape(B * H, T_k, d_head)
        v = split_heads(self.W_v(value), H).reshape(B * H, T_k, d_head)
        scores = torch.bmm(q, k.transpose(1, 2)) * d_head**-0.5
        scores = scores.view(B, H, T_q, T_k)

        if mask is None:
            weights = nn.functional.softmax(scores, dim=-1)
        else:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            may = mask.to(scores.dtype)
            weights = nn.functional.softmax(scores + (1 - may) * -1e9, dim=-1)
            weights = weights * may

        out = torch.bmm(weights.reshape(B * H, T_q, T_k), v).view(B, H, T_q, d_head)
        out = self.W_o(merge_heads(out))
        if not need_weights:
            return out
        return out, weights


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    """Describe each position by sines and cosines of ever lower frequency."""
    columns = torch.arange(d_model)
    omega = frequencies(d_model, base)[columns // 2]
    angles = torch.arange(T).unsqueeze(1) * omega
    table = torch.where(columns % 2 == 0, torch.sin(angles), torch.cos(angles))
    return table.to(torch.float32)


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    """Draw the encoding of the well-known figure: all sines first, then all cosines, frequencies from 1 to 1/10000."""
    exponents = torch.linspace(0, 1, d_model // 2, dtype=torch.float64)
    f = 10000.0**-exponents
    angles = torch.arange(T).unsqueeze(1) * f
    signal = torch.zeros(T, d_model)
    signal[:, : d_model // 2] = angles.sin()
    signal[:, d_model // 2 :] = angles.cos()
    return signal


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    """Return the one matrix that moves every row of sinusoidal_encoding on by k positions."""
    angle = k * frequencies(d_model)
    diagonal = angle.cos().repeat_interleave(2)
    # sin above the diagonal, -sin below, but nothing between two pairs
    beside = torch.zeros(d_model - 1, dtype=torch.float64)
    beside[0::2] = angle.sin()
    M = torch.diag(diagonal) + torch.diag(beside, 1) - torch.diag(beside, -1)
    return M.float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    """Turn each pair of features by an angle that grows with the position (rotary position embedding)."""
    theta = frequencies(x.shape[-1], base).to(x.device)
    if positions.dim() == 1:
        positions = positions.unsqueeze(0)
    angles = positions[:, None, :, None] * theta  # (batch or 1, 1, time, pairs)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., ::2], x[..., 1::2]
    turned = (a * cos - b * sin, a * sin + b * cos)
    return torch.stack(turned, dim=-1).flatten(-2)


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
    answers = {
        "what_heads_add": "c",
        "without_positions": "b",
        "where_rope": "a",
        "silent_bias": "d",
        "cost_of_heads": "b",
        "shape_of_split": "c",
        "wrong_view": "a",
        "angle_between": "d",
    }
    return answers
