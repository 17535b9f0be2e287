import math
import torch
from torch import nn


def _mask_to_four_axes(mask: torch.Tensor) -> torch.Tensor:
    if mask.ndim == 2:
        return mask.view(1, 1, *mask.shape)
    if mask.ndim == 3:
        return mask.view(mask.shape[0], 1, *mask.shape[1:])
    return mask


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Cut the features of every position into n_heads parts, and put the heads where a batched product wants them.

        out[b, h, t] = x[b, t, h * d_head : (h + 1) * d_head]

    Args:
        x: (batch, time, d_model).
        n_heads: a divisor of d_model.

    Returns:
        (batch, heads, time, d_head). Head 0 has the first d_head features, head 1 the next, and so on.

    Watch: each head sees every position, but only its share of the features. `view` and `reshape` cut what lies one
    after the other in memory; they never move anything. Which axis has to be moved?
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return torch.stack(x.chunk(chunks=n_heads, dim=2), dim=1)


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
    return torch.cat(x.unbind(dim=1), dim=2)


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
                (batch, heads, T_q, T_k).
                Any axis may have length 1, which then counts for all: padding is often given as (batch, 1, 1, T_k).
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
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        size = q.size(-1) // self.n_heads
        q, k, v = (split_heads(x=part, n_heads=self.n_heads) for part in (q, k, v))
        scores = torch.matmul(q / math.sqrt(size), k.transpose(-2, -1))
        if mask is not None:
            mask = _mask_to_four_axes(mask)
            hidden = torch.logical_not(mask)
            scores = torch.where(hidden, torch.full_like(scores, -1e9), scores)
        weights = nn.functional.softmax(scores, dim=-1)
        if mask is not None:
            someone = mask.any(dim=-1, keepdim=True)
            weights = torch.where(someone, weights, torch.zeros_like(weights))
        found = merge_heads(torch.matmul(weights, v))
        output = self.W_o(found)
        if need_weights:
            return output, weights
        else:
            return output


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000) -> torch.Tensor:
    """Describe each position by sines and cosines of ever lower frequency.

        PE[t, 2i] = sin(t / base^(2i / d_model)),    PE[t, 2i + 1] = cos(t / base^(2i / d_model))

    Args:
        T: number of positions, which are 0, 1, ..., T - 1.
        d_model: number of features, even.
        base: what the lowest frequency tends to, upside down.

    Returns:
        PE: (T, d_model), of floats.

    Watch: i counts pairs, so both columns of a pair have the same frequency. The exponent is a fraction between 0 and 1.
    Source: Vaswani et al. 2017, section 3.5.
    """
    rows = []
    for t in range(T):
        row = []
        for column in range(d_model):
            pair = column // 2
            angle = t * math.pow(base, -2 * pair / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32).reshape(T, d_model)


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
    ratio = math.log(10000) / (n - 1)
    inverse = torch.exp(torch.arange(n) * -ratio)
    scaled_time = torch.arange(T).unsqueeze(1) * inverse.unsqueeze(0)
    signal = torch.zeros(T, d_model)
    signal[:, :n] = torch.sin(scaled_time)
    signal[:, n:] = torch.cos(scaled_time)
    return signal


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
    blocks = []
    for i in range(d_model // 2):
        omega = 1.0 / 10000 ** (2 * i / d_model)
        c, s = math.cos(k * omega), math.sin(k * omega)
        blocks.append(torch.tensor([[c, s], [-s, c]]))
    return torch.block_diag(*blocks)


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000) -> torch.Tensor:
    """Turn each pair of features by an angle that grows with the position (rotary position embedding).

        angle = p * base^(-2i / d_head)    for position p and pair i, which is the features 2i and 2i + 1
        out[2i]     = x[2i] cos(angle) - x[2i + 1] sin(angle)
        out[2i + 1] = x[2i] sin(angle) + x[2i + 1] cos(angle)

    Args:
        x: (batch, heads, time, d_head) with d_head even: queries or keys, already split into heads.
        positions: whole numbers, (time,) for all sequences alike or (batch, time) for each its own. Any numbers: they
            need not start at 0, nor follow one on the other.
        base: as in sinusoidal_encoding.

    Returns:
        A tensor of the shape of x.

    Watch: pairs are neighbours (2i and 2i + 1), and come back as neighbours. Positions are read, not assumed.
    Source: Su et al. 2021, sections 3.2 and 3.4, equation 34.
    """
    d_head = x.shape[-1]
    i = torch.arange(d_head // 2, dtype=torch.float32)
    theta = base ** (-2 * i / d_head)
    angles = positions.float().unsqueeze(-1) * theta
    angles = angles.repeat_interleave(2, dim=-1)
    if positions.ndim == 2:
        angles = angles.unsqueeze(1)
    partner = torch.empty_like(x)
    partner[..., 0::2] = -x[..., 1::2]
    partner[..., 1::2] = x[..., 0::2]
    return x * angles.cos() + partner * angles.sin()


def quiz() -> dict[str, str]:
    """Answer eight questions, each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.

    what_heads_add: what can four heads of 16 features do that one head of 64 cannot?
        a: look at more positions than one head can
        b: use four times as many weights for the same input
        c: read from four places for four reasons, without averaging them into one mixture
        d: divide the sequence among them, so that each head has a quarter of the positions to read
    cost_of_heads: d_model stays at 512; instead of 1 head there are 8. How many parameters has MultiHeadAttention now?
        a: as many as before
        b: eight times as many
        c: an eighth
        d: as many as before, and a linear layer that joins the heads
    why_view_fails: what does x.view(batch, heads, time, d_head) do to x of shape (batch, time, d_model)?
        a: it raises an error unless heads = time
        b: the same as split_heads, only faster
        c: it gives each head the right positions, with the features in another order
        d: it gives each head a stretch of the sequence in place of a share of the features
    without_positions: no positions are encoded and there is no mask. The words of a sentence are shuffled; what happens
    to the outputs of self-attention?
        a: they stay where they are, as attention is a sum
        b: they are shuffled in the same way, and otherwise unchanged
        c: they all change, as every word has other neighbours
        d: they become equal for all words
    what_rotation_means: PE[t + k] = PE[t] @ M.T; what does that offer to attention?
        a: one linear map serves "k places back" at every position, so a head can learn it once
        b: positions that are k apart have the same encoding
        c: the model can be trained on one position and used at all others
        d: the scores of words that are k apart are all equal
    why_many_frequencies: why not one pair of columns, with frequency 1?
        a: it comes round every 6.28 positions, so distant positions look alike
        b: sine and cosine of one frequency cannot tell 1 from 2
        c: one pair of columns could not be turned by a matrix
        d: columns of one frequency cannot be added to an embedding
    where_rope: what is turned by RoPE?
        a: the embeddings, once, before the first layer
        b: queries and keys of every layer, after the projections, but not the values
        c: queries, keys and values of every layer
        d: the scores, after the dot product
    silent_bias: which parameters can you change without changing any output, whatever the input?
        a: the bias of W_q
        b: the bias of W_v
        c: the bias of W_k
        d: none
    """
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
