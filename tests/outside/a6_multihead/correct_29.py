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

from math import cos, sin, sqrt
import torch
from torch import nn


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Cut the features of every position into n_heads parts, and put the heads where a batched product wants them."""
    d_head: int = x.shape[2] // n_heads
    heads: list[torch.Tensor] = []
    for h in range(n_heads):
        first = h * d_head
        last = first + d_head
        heads.append(x[:, :, first:last])
    return torch.stack(heads, dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put what the heads found side by side again: undo split_heads."""
    n_heads: int = x.shape[1]
    pieces: list[torch.Tensor] = []
    for h in range(n_heads):
        pieces.append(x[:, h])
    return torch.cat(pieces, dim=2)


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
        batch, T_q, d_model = query.shape
        T_k = key.shape[1]
        d_head = d_model // self.n_heads

        # bring every mask to the same four axes
        if mask is None:
            allowed = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=query.device)
        elif mask.dim() == 2:
            allowed = mask.reshape(1, 1, mask.shape[0], mask.shape[1])
        elif mask.dim() == 3:
            allowed = mask.reshape(mask.shape[0], 1, mask.shape[1], mask.shape[2])
        else:
            allowed = mask
        allowed = allowed.expand(batch, self.n_heads, T_q, T_k)

        q_all = self.W_q(query)
        k_all = self.W_k(key)
        v_all = self.W_v(value)

        results = []
        all_weights = []
        for h in range(self.n_heads):
            first = h * d_head
            last = first + d_head
            q = q_all[:, :, first:last]
            k = k_all[:, :, first:last]
            v = v_all[:, :, first:last]
            scores = torch.bmm(q, k.transpose(1, 2)) / sqrt(d_head)
            may_look = allowed[:, h]
            scores = torch.where(may_look, scores, torch.full_like(scores, -1e9))
            weights = torch.softmax(scores, dim=2)
            weights = weights * may_look
            results.append(torch.bmm(weights, v))
            all_weights.append(weights)

        output = self.W_o(torch.cat(results, dim=2))
        if need_weights:
            return output, torch.stack(all_weights, dim=1)
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    """Describe each position by sines and cosines of ever lower frequency."""
    PE = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(d_model // 2):
            omega = 1 / base ** (2 * i / d_model)
            PE[t, 2 * i] = sin(t * omega)
            PE[t, 2 * i + 1] = cos(t * omega)
    return PE


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    """Draw the encoding of the well-known figure: all sines first, then all cosines, frequencies from 1 to 1/10000."""
    n = d_model // 2
    table = []
    for t in range(T):
        sines = []
        cosines = []
        for i in range(n):
            f = 10000 ** (-i / (n - 1))
            sines.append(sin(t * f))
            cosines.append(cos(t * f))
        table.append(sines + cosines)
    return torch.tensor(table)


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    """Return the one matrix that moves every row of sinusoidal_encoding on by k positions."""
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = k * 10000 ** (-2 * i / d_model)
        s = 2 * i         # row of the sine
        c = 2 * i + 1     # row of the cosine
        M[s, s] = cos(angle)
        M[s, c] = sin(angle)
        M[c, s] = -sin(angle)
        M[c, c] = cos(angle)
    return M


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    """Turn each pair of features by an angle that grows with the position (rotary position embedding)."""
    batch, heads, time, d_head = x.shape
    if positions.dim() == 1:
        p = positions.reshape(1, 1, time)
    else:
        p = positions.reshape(-1, 1, time)
    out = torch.empty_like(x)
    for i in range(d_head // 2):
        angle = p.double() * base ** (-2 * i / d_head)
        c = torch.cos(angle).to(x.dtype)
        s = torch.sin(angle).to(x.dtype)
        a = x[:, :, :, 2 * i]
        b = x[:, :, :, 2 * i + 1]
        out[:, :, :, 2 * i] = a * c - b * s
        out[:, :, :, 2 * i + 1] = a * s + b * c
    return out


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
