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
    batch, time, d_model = x.shape
    d_head = d_model // n_heads
    parts = x.reshape(batch, time, n_heads, d_head)
    return parts.transpose(1, 2)


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
    batch, heads, time, d_head = x.shape
    side_by_side = x.transpose(1, 2)
    return side_by_side.reshape(batch, time, heads * d_head)


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
        q = split_heads(self.W_q(query), self.n_heads)
        k = split_heads(self.W_k(key), self.n_heads)
        v = split_heads(self.W_v(value), self.n_heads)
        d_head = q.shape[-1]

        scores = q @ k.transpose(-2, -1) / d_head**0.5
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            allowed = mask.expand(scores.shape)
            scores = scores.masked_fill(~allowed, -1e9)
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(~allowed, 0.0)

        output = self.W_o(merge_heads(weights @ v))
        if need_weights:
            return output, weights
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
    positions = torch.arange(T, dtype=torch.float64).unsqueeze(1)
    pairs = torch.arange(d_model // 2, dtype=torch.float64)
    omega = base ** (-2 * pairs / d_model)
    angles = positions * omega
    encoding = torch.zeros(T, d_model)
    encoding[:, 0::2] = torch.sin(angles).float()
    encoding[:, 1::2] = torch.cos(angles).float()
    return encoding


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
    positions = torch.arange(T, dtype=torch.float64).unsqueeze(1)
    f = 10000 ** (-torch.arange(n, dtype=torch.float64) / (n - 1))
    angles = positions * f
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1).float()


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
    M = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        angle = torch.tensor(k * 10000 ** (-2 * i / d_model), dtype=torch.float64)
        M[2 * i, 2 * i] = torch.cos(angle)
        M[2 * i, 2 * i + 1] = torch.sin(angle)
        M[2 * i + 1, 2 * i] = -torch.sin(angle)
        M[2 * i + 1, 2 * i + 1] = torch.cos(angle)
    return M


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
    d_head = x.shape[-1]
    pairs = torch.arange(d_head // 2, dtype=torch.float64, device=x.device)
    theta = base ** (-2 * pairs / d_head)
    angles = positions.unsqueeze(-1) * theta
    if positions.dim() == 2:
        angles = angles.unsqueeze(1)
    cos = torch.cos(angles).to(x.dtype)
    sin = torch.sin(angles).to(x.dtype)
    even = x[..., 0::2]
    odd = x[..., 1::2]
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return turned.flatten(-2)


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
