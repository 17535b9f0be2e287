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


class Clock(nn.Module):
    """Hands that turn at given speeds; asked for times, it returns unit complex numbers e^{i t w}."""

    def __init__(self, speeds):
        super().__init__()
        self.speeds = speeds

    @classmethod
    def geometric(cls, n, last, device=None):
        """n speeds from 1 downwards in equal ratios; `last` is the logarithm of the ratio."""
        return cls(torch.exp(torch.arange(n, device=device, dtype=torch.double) * last))

    def forward(self, t):
        angle = torch.as_tensor(t, dtype=torch.double, device=self.speeds.device).unsqueeze(-1) * self.speeds
        return torch.complex(torch.cos(angle), torch.sin(angle))


def pairs_clock(d, base, device=None):
    return Clock.geometric(d // 2, -2 * math.log(base) / d, device)


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Cut the features of every position into n_heads parts, and put the heads where a batched product wants them.

        out[b, h, t] = x[b, t, h * d_head : (h + 1) * d_head]

    Args:
        x: (batch, time, d_model).
        n_heads: a divisor of d_model.

    Returns:
        (batch, heads, time, d_head). Head 0 has the first d_head features, head 1 the next, and so on.

    Watch: each head sees every position, but only its share of the features. `view` and `reshape` cut the
    numbers in their order; they never exchange two axes. Which axis has to be moved?
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return torch.stack(torch.chunk(x, n_heads, dim=-1), dim=1)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put what the heads found side by side again: undo split_heads.

        out[b, t] = [x[b, 0, t]; x[b, 1, t]; ...]

    Args:
        x: (batch, heads, time, d_head).

    Returns:
        (batch, time, heads * d_head).

    Watch: merge_heads(split_heads(x, n_heads)) is x, number by number. A right shape is no proof.
    Source: Vaswani et al. 2017, section 3.2.2 (Concat).
    """
    return torch.cat(x.unbind(dim=1), dim=-1)


class MultiHeadAttention(nn.Module):
    """Several attentions at once, each on its own share of the features, and a linear layer that joins them.

        q, k, v = W_q(query), W_k(key), W_v(value), each split into heads
        head_h  = softmax(q_h k_h^T / sqrt(d_head)) v_h
        output  = W_o([head_0; head_1; ...])

    The constructor is given. Each of the four linear layers is (d_model, d_model) with a bias, and holds all heads.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def look(self, q, k, v, allowed):
        """One head; keys come first inside: e is (batch, T_k, T_q)."""
        s = torch.einsum("bkd,bqd->bkq", k, q).mul(q.shape[-1] ** -0.5)
        if allowed is None:
            e = (s - s.detach().amax(1, keepdim=True)).exp()
            w = e / e.sum(1, keepdim=True)
        else:
            ok = allowed.mT.expand_as(s)
            top = s.detach().masked_fill(~ok, -1e30).amax(1, keepdim=True)
            e = torch.where(ok, s - top, torch.full_like(s, -100.0)).exp() * ok
            total = e.sum(1, keepdim=True)
            w = e / torch.where(total > 0, total, torch.ones_like(total))
        return torch.einsum("bkq,bkd->bqd", w, v), w.mT

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
        need_weights: bool = False,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Let every query position read the value positions, once for each head.

        Self-attention is forward(x, x, x); in cross-attention the queries come from another sequence.

        Args:
            query: (batch, T_q, d_model).
            key: (batch, T_k, d_model).
            value: (batch, T_k, d_model).
            mask: boolean, True where the query may look at the key; or None, which means everywhere. Its axes are
                (T_q, T_k), the same for the whole batch;
                (batch, T_q, T_k), one for each sequence, the same for all its heads;
                (batch, heads, T_q, T_k), one for each head of each sequence.
                Of three axes the first is the batch, always: one mask for each head is (1, heads, T_q, T_k). Any axis may
                have length 1, which then counts for all: padding is often given as (batch, 1, 1, T_k).
            need_weights: whether to return the weights, too.

        Returns:
            output, (batch, T_q, d_model); with need_weights the pair (output, weights), where weights are those of every
            head, (batch, heads, T_q, T_k).

        Watch: the scale is that of one head. Three axes of a mask line up with four axes of scores from the right, and
        that is one axis too far. A query that may look at nothing has weights of zero, reads zeros, and so gets the
        bias of W_o; neither it nor its gradient is NaN.
        Not allowed: torch's own attention (nn.MultiheadAttention, F.scaled_dot_product_attention and relatives).
        Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.
        """
        if mask is not None:
            lead = {2: (None, None), 3: (slice(None), None), 4: ()}[mask.ndim]
            mask = mask[lead].expand(-1, self.n_heads, -1, -1)
        d = query.shape[-1] // self.n_heads
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        found, weights = [], []
        for h in range(self.n_heads):
            own = slice(h * d, (h + 1) * d)
            z, w = self.look(q[..., own], k[..., own], v[..., own], None if mask is None else mask[:, h])
            found.append(z)
            weights.append(w)
        output = self.W_o(torch.cat(found, -1))
        if need_weights:
            return output, torch.stack(weights, 1)
        return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    """Describe each position by sines and cosines of ever lower frequency.

        PE[t, 2i] = sin(t / base^(2i / d_model)),    PE[t, 2i + 1] = cos(t / base^(2i / d_model))

    Args:
        T: number of positions, which are 0, 1, ..., T - 1.
        d_model: number of features, even.
        base: a positive number; the lowest frequency tends to 1/base as d_model grows.

    Returns:
        PE: (T, d_model), of floats.

    Watch: i counts pairs, so both columns of a pair have the same frequency. The exponent is a fraction between 0 and 1.
    Source: Vaswani et al. 2017, section 3.5.
    """
    z = pairs_clock(d_model, base)(range(T))
    return torch.stack((z.imag, z.real), -1).reshape(T, d_model).float()


def timing_signal(T: int, d_model: int) -> torch.Tensor:
    """Draw the encoding of the well-known figure: all sines first, then all cosines, frequencies from 1 to 1/10000.

        f_i = 10000^(-i / (n - 1)) for i = 0, ..., n - 1, where n = d_model / 2
        row t = [sin(t f_0), ..., sin(t f_{n-1}), cos(t f_0), ..., cos(t f_{n-1})]

    Args:
        T: number of positions, which are 0, 1, ..., T - 1.
        d_model: number of features, even, at least 4.

    Returns:
        (T, d_model), of floats.

    Watch: here the last frequency is 1/10000 exactly; in sinusoidal_encoding it is not reached.
    Source: the reference code of Vaswani et al. (tensor2tensor, get_timing_signal_1d), which differs from the paper.
    """
    n = d_model // 2
    z = Clock.geometric(n, -math.log(10000) / (n - 1))(range(T))
    return torch.hstack((z.imag, z.real)).float()


def shift_matrix(k: int, d_model: int) -> torch.Tensor:
    """Return the one matrix that moves every row of sinusoidal_encoding on by k positions.

        PE[t + k] = PE[t] @ M.T    for every t, with base 10000

    Args:
        k: how many positions to move on; negative moves back.
        d_model: number of features, even.

    Returns:
        M: (d_model, d_model), of floats.

    Watch: sin(a + b) = sin a cos b + cos a sin b and cos(a + b) = cos a cos b - sin a sin b. Write PE[t + k] for one
    pair with them; t must not be left in M. Mind the transpose.
    Source: Vaswani et al. 2017, section 3.5 (why sinusoids were chosen); README, section 4.
    """
    # one step on is what rope does to the unit vectors at position 1; k steps are its k-th power
    unit = torch.eye(d_model, dtype=torch.double)[None, None]
    once = apply_rope(unit, torch.ones(d_model, dtype=torch.long))[0, 0]
    return torch.linalg.matrix_power(once, k).float()


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    """Turn each pair of features by an angle that grows with the position (rotary position embedding).

        angle = p * base^(-2i / d_head)    for position p and pair i, which is the features 2i and 2i + 1
        out[2i]     = x[2i] cos(angle) - x[2i + 1] sin(angle)
        out[2i + 1] = x[2i] sin(angle) + x[2i + 1] cos(angle)

    Args:
        x: (batch, heads, time, d_head) with d_head even: queries or keys, already split into heads.
        positions: whole numbers, (time,) for all sequences alike or (batch, time) for each its own. Any from 0 to 99:
            they need not start at 0, nor follow one on the other.
        base: as in sinusoidal_encoding.

    Returns:
        A tensor of the shape of x.

    Watch: pairs are neighbours (2i and 2i + 1), and come back as neighbours. Positions are read, not assumed.
    Source: Su et al. 2021, sections 3.2 and 3.4, equation 34.
    """
    turn = pairs_clock(x.shape[-1], base, x.device)(positions)
    turn = turn.reshape(-1, 1, *turn.shape[-2:])  # (1 or batch, 1, time, pairs)
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous()) * turn
    return torch.view_as_real(z).flatten(-2).to(x.dtype)


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
