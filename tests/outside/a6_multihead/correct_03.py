"""Multi-head attention, and three ways to tell a position from its neighbours, in torch.

Shapes: tensors are batch-first. A sequence is (batch, time, d_model); split into heads it is (batch, heads, time, d_head)
with d_head = d_model / heads.

    T, T_q, T_k   positions: of one sequence, of the queries, of the keys (a key and its value share a position)
    d_model       features of an input or output vector
    d_head        features of one head's queries, keys and values

Linear weights are laid out (out, in), as torch does: `nn.Linear` computes x @ weight.T + bias.

A mask is boolean: True means "this query may look at this key".

No function here changes the tensors it is given. Each may call any other of this file, also one further down.
"""

import torch
from torch import nn


def frequencies(n_features: int, base: float) -> torch.Tensor:
    exponents = torch.arange(n_features // 2, dtype=torch.float64) * 2 / n_features
    return torch.exp(-exponents * torch.log(torch.tensor(base, dtype=torch.float64)))


def safe_softmax(scores: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    top = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True).detach()
    powers = torch.exp((scores - top).masked_fill(~allowed, 0.0)) * allowed
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total == 0, torch.ones_like(total), total)


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    return x.unflatten(-1, (n_heads, -1)).permute(0, 2, 1, 3)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return x.permute(0, 2, 1, 3).flatten(start_dim=2)


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
        def heads(layer, tensor):
            projected = layer(tensor)
            return projected.reshape(*projected.shape[:2], self.n_heads, -1)

        q = heads(self.W_q, query)
        k = heads(self.W_k, key)
        v = heads(self.W_v, value)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is None:
            allowed = torch.ones_like(scores, dtype=torch.bool)
        else:
            if mask.dim() == 3:
                mask = mask[:, None, :, :]
            allowed = torch.broadcast_to(mask, scores.shape)
        weights = safe_softmax(scores, allowed)
        mixed = torch.einsum("bhqk,bkhd->bqhd", weights, v)
        output = self.W_o(mixed.flatten(2))
        if not need_weights:
            return output
        return output, weights


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    positions = torch.arange(T, dtype=torch.float64)
    angles = torch.einsum("t,i->ti", positions, frequencies(d_model, base))
    waves = torch.stack((torch.sin(angles), torch.cos(angles)), dim=2)
    return waves.reshape(T, d_model).float()


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    half = d_model // 2
    steps = torch.arange(half, dtype=torch.float64) / (half - 1)
    angles = torch.arange(T, dtype=torch.float64)[:, None] * torch.pow(10000.0, -steps)
    return torch.hstack((torch.sin(angles), torch.cos(angles))).to(torch.float32)


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    angle = k * frequencies(d_model, 10000.0)
    even = torch.arange(0, d_model, 2)
    odd = even + 1
    M = torch.zeros(d_model, d_model, dtype=torch.float64)
    M[even, even] = torch.cos(angle)
    M[odd, odd] = torch.cos(angle)
    M[even, odd] = torch.sin(angle)
    M[odd, even] = -torch.sin(angle)
    return M.float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    theta = frequencies(x.shape[-1], base)
    angles = positions.to(torch.float64).unsqueeze(-1) * theta
    turns = torch.polar(torch.ones_like(angles), angles)
    if positions.dim() == 2:
        turns = turns.unsqueeze(1)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


def quiz() -> dict[str, str]:
    answers = {
        "what_heads_add": "c",
        "cost_of_heads": "a",
        "why_view_fails": "d",
        "without_positions": "b",
        "what_rotation_means": "a",
        "why_many_frequencies": "a",
        "where_rope": "b",
        "silent_bias": "c",
    }
    return answers
