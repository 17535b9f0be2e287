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

import math

import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Cut the features of every position into n_heads parts, and put the heads where a batched product wants them."""
    d_head = x.shape[-1] // n_heads
    parts = []
    for h in range(n_heads):
        parts.append(x[:, :, h * d_head : (h + 1) * d_head])
    return torch.stack(parts, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put what the heads found side by side again: undo split_heads."""
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


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
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        B, T_q, d_model = q.shape
        T_k = k.shape[1]
        d_head = d_model // self.n_heads
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None, :, :]
            mask = mask.expand(B, self.n_heads, T_q, T_k)

        found = []
        all_weights = []
        for h in range(self.n_heads):
            share = slice(h * d_head, (h + 1) * d_head)
            scores = torch.bmm(q[..., share], k[..., share].transpose(1, 2)) / d_head**0.5
            if mask is None:
                weights = scores.softmax(dim=-1)
            else:
                allowed = mask[:, h]
                nothing = ~allowed.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~allowed, float("-inf"))
                scores = scores.masked_fill(nothing, 0.0)
                weights = scores.softmax(dim=-1)
                weights = weights.masked_fill(nothing, 0.0)
            found.append(torch.bmm(weights, v[..., share]))
            all_weights.append(weights)

        output = self.W_o(torch.cat(found, dim=-1))
        if need_weights:
            return output, torch.stack(all_weights, dim=1)
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    """Describe each position by sines and cosines of ever lower frequency."""
    PE = torch.zeros(T, d_model)
    for t in range(T):
        for j in range(d_model):
            pair = j // 2
            angle = t / base ** (2 * pair / d_model)
            PE[t, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return PE


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    """Draw the encoding of the well-known figure: all sines first, then all cosines, frequencies from 1 to 1/10000."""
    n = d_model // 2
    rows = []
    for t in range(T):
        freqs = [10000 ** (-i / (n - 1)) for i in range(n)]
        rows.append([math.sin(t * f) for f in freqs] + [math.cos(t * f) for f in freqs])
    return torch.tensor(rows, dtype=torch.float32).reshape(T, d_model)


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    """Return the one matrix that moves every row of sinusoidal_encoding on by k positions."""
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        a = k / 10000 ** (2 * i / d_model)
        s, c = 2 * i, 2 * i + 1
        M[s, s] = math.cos(a)
        M[s, c] = math.sin(a)
        M[c, s] = -math.sin(a)
        M[c, c] = math.cos(a)
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    """Turn each pair of features by an angle that grows with the position (rotary position embedding)."""
    d_head = x.shape[-1]
    if positions.dim() == 1:
        p = positions[None, None, :]
    else:
        p = positions[:, None, :]
    p = p.double()
    columns = []
    for i in range(d_head // 2):
        angle = p * base ** (-2 * i / d_head)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        columns.append(a * cos - b * sin)
        columns.append(a * sin + b * cos)
    return torch.stack(columns, dim=-1)


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
