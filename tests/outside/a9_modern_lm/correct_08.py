"""A language model of your own, end to end: the parts of today's decoders, the model made of them, and what it learns with.

    x         (..., d_model)                  vectors of the residual stream
    q         (batch, n_heads, T_q, d_head)   queries, split into heads
    k, v      (batch, n_kv_heads, T_k, d_head) keys and values; several query heads share one of their heads
    ids       (batch, time)                   tokens as whole numbers
    logits    (..., vocab)                    scores of the next token; no softmax

Weights are laid out (out, in), as nn.Linear has them, and no linear map here has a bias. A mask is boolean, and True means
"may look".

All tensors of a call are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.arange(time, device=ids.device). Functions that are given no tensor make theirs on the CPU, and a generator stays on the
CPU.

Only init_ changes what it is given, the parameters of its model. Each function may call any other of this file, also one
further down.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    """Divide every vector by the root of its mean square, and scale each feature.

        out = x / sqrt(mean(x^2) + eps) * gain        the mean over the last axis

    Args:
        x: (..., d_model).
        gain: (d_model,).
        eps: a small number that keeps a vector of zeros from dividing by zero.

    Returns:
        (..., d_model).

    Watch: no mean is subtracted, and there is no shift; that is all it lacks of layer normalisation.
    Not allowed: torch's own RMS norm.
    Source: Zhang and Sennrich 2019, equation 4; README, section 1.
    """
    # step 1: the squares of all features
    squared_features = torch.mul(x, x)
    # step 2: their mean over the last axis; keep the axis, so that it broadcasts against x
    mean_of_squares = torch.mean(squared_features, dim=-1, keepdim=True)
    # step 3: epsilon goes INSIDE the root
    denominator = torch.sqrt(torch.add(mean_of_squares, eps))
    # step 4: divide
    normalised = torch.div(x, denominator)
    # step 5: scale each feature
    scaled = torch.mul(normalised, gain)
    return scaled


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    """Pass x through a gated feed-forward network: one map goes through SiLU and multiplies another.

        silu(a) = a * sigmoid(a)
        out = (silu(x W_gate^T) * (x W_up^T)) W_down^T        the product in the middle entry by entry

    Args:
        x: (..., d_model).
        W_gate: (d_ff, d_model).
        W_up: (d_ff, d_model).
        W_down: (d_model, d_ff).

    Returns:
        (..., d_model).

    Watch: the activation is on one of the two branches only. torch's silu is allowed.
    Source: Shazeer 2020, equation 6; README, section 1.
    """
    # (..., d_model) @ (d_model, d_ff) -> (..., d_ff)
    gate_before_activation = torch.matmul(x, W_gate.transpose(0, 1))
    gate_after_activation = torch.mul(gate_before_activation, torch.sigmoid(gate_before_activation))
    up = torch.matmul(x, W_up.transpose(0, 1))
    hidden = torch.mul(gate_after_activation, up)
    # (..., d_ff) @ (d_ff, d_model) -> (..., d_model)
    return torch.matmul(hidden, W_down.transpose(0, 1))


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn each pair of neighbouring features by an angle that grows with the position.

        angle = p * base^(-2i / d_head)      for position p and pair i, which is the features 2i and 2i + 1
        out[2i]     = x[2i] cos(angle) - x[2i + 1] sin(angle)
        out[2i + 1] = x[2i] sin(angle) + x[2i + 1] cos(angle)

    Args:
        x: (batch, heads, time, d_head) with d_head even: queries or keys, already split into heads.
        positions: (time,), whole numbers. Behind a cache of 7 tokens they begin at 7.
        base: the lowest frequency tends to 1/base as d_head grows.

    Returns:
        A tensor of the shape of x.

    Watch: positions are read, not assumed. If you have written apply_rope in a6_multihead, you may bring it along.
    Source: Su et al. 2021, equation 34; README, section 2.
    """
    d_head = x.size(-1)
    number_of_pairs = d_head // 2
    pair_index = torch.arange(number_of_pairs, dtype=torch.float32, device=x.device)
    exponent = -2.0 * pair_index / d_head
    frequencies = torch.pow(torch.full_like(exponent, float(base)), exponent)  # (pairs,)
    positions_as_column = positions.to(torch.float32).reshape(-1, 1)  # (time, 1)
    angles = positions_as_column * frequencies.reshape(1, -1)  # (time, pairs)
    cosines = torch.cos(angles).reshape(1, 1, -1, number_of_pairs)
    sines = torch.sin(angles).reshape(1, 1, -1, number_of_pairs)

    even_features = x[:, :, :, 0::2]
    odd_features = x[:, :, :, 1::2]
    new_even_features = even_features * cosines - odd_features * sines
    new_odd_features = even_features * sines + odd_features * cosines

    pairs = torch.stack([new_even_features, new_odd_features], dim=-1)  # (batch, heads, time, pairs, 2)
    return torch.reshape(pairs, x.shape)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Let every query head read the key-value head of its group.

        group = n_heads / n_kv_heads                                  query heads that share a key-value head
        out[:, h] = softmax(q[:, h] k[:, j]^T / sqrt(d_head)) v[:, j]    with j = h // group

    Args:
        q: (batch, n_heads, T_q, d_head).
        k: (batch, n_kv_heads, T_k, d_head), where n_kv_heads divides n_heads.
        v: (batch, n_kv_heads, T_k, d_head).
        mask: (T_q, T_k), boolean, True = may look; every query may look at one key at least. None means everywhere.

    Returns:
        (batch, n_heads, T_q, d_head).

    Watch: neighbouring query heads form a group: with 6 query heads and 2 key-value heads, the heads 0, 1 and 2 read
    key-value head 0.
    Not allowed: torch's own attention.
    Source: Ainslie et al. 2023, section 2.2; README, section 3.
    """
    batch_size = q.size(0)
    n_heads = q.size(1)
    n_kv_heads = k.size(1)
    number_of_queries = q.size(2)
    number_of_keys = k.size(2)
    d_head = q.size(3)
    group = n_heads // n_kv_heads

    outputs_of_heads = []
    for kv_head in range(n_kv_heads):
        keys = k[:, kv_head, :, :]
        values = v[:, kv_head, :, :]
        for member in range(group):
            query_head = kv_head * group + member
            queries = q[:, query_head, :, :]
            scores = torch.bmm(queries, keys.transpose(1, 2))
            scores = scores / math.sqrt(d_head)
            if mask is not None:
                allowed = mask.unsqueeze(0).expand(batch_size, number_of_queries, number_of_keys)
                forbidden = torch.logical_not(allowed)
                scores = torch.masked_fill(scores, forbidden, float("-inf"))
            weights = torch.softmax(scores, dim=2)
            outputs_of_heads.append(torch.bmm(weights, values))
    return torch.stack(outputs_of_heads, dim=1)


def sliding_mask(T: int, window: int) -> Tensor:
    """Let every position look at itself and at the window - 1 positions before it.

        mask[i, j] = True    where i - window < j <= i

    Args:
        T: how many positions.
        window: how many of them one position may look at, itself included; at least 1, perhaps more than T.

    Returns:
        mask: (T, T), boolean, True = may look; a row for each query, a column for each key.

    Watch: the position itself counts. A window of T or more gives the causal mask.
    Source: Beltagy et al. 2020, section 3.1; Jiang et al. 2023, section 2; README, section 3.
    """
    rows = []
    for i in range(T):
        first_visible = max(0, i - window + 1)
        hidden_past = first_visible
        visible = i - first_visible + 1
        hidden_future = T - i - 1
        rows.append([False] * hidden_past + [True] * visible + [False] * hidden_future)
    return torch.tensor(rows, dtype=torch.bool).reshape(T, T)


class TransformerBlock(nn.Module):
    """One block of the decoder: attention and a feed-forward network, both behind a norm and beside the stream."""

    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int, d_ff: int, window: int, base: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_head = d_model // n_heads
        self.window = window
        self.base = base
        # the attention
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.W_q = nn.Linear(d_model, n_heads * self.d_head, bias=False)
        self.W_k = nn.Linear(d_model, n_kv_heads * self.d_head, bias=False)
        self.W_v = nn.Linear(d_model, n_kv_heads * self.d_head, bias=False)
        self.W_o = nn.Linear(n_heads * self.d_head, d_model, bias=False)
        # the feed-forward network
        self.gain_2 = nn.Parameter(torch.ones(d_model))
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)

    def split_into_heads(self, vectors: Tensor, number_of_heads: int) -> Tensor:
        batch_size, time, _ = vectors.shape
        with_heads = vectors.reshape(batch_size, time, number_of_heads, self.d_head)
        return with_heads.permute(0, 2, 1, 3)

    def merge_heads(self, heads: Tensor) -> Tensor:
        batch_size, _, time, _ = heads.shape
        return heads.permute(0, 2, 1, 3).reshape(batch_size, time, self.d_model)

    def attention(self, normed: Tensor, past: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        past_keys, past_values = past
        number_of_past_tokens = past_keys.size(2)
        number_of_new_tokens = normed.size(1)
        number_of_tokens = number_of_past_tokens + number_of_new_tokens
        positions = torch.arange(number_of_past_tokens, number_of_tokens, device=normed.device)

        queries = self.split_into_heads(self.W_q(normed), self.n_heads)
        new_keys = self.split_into_heads(self.W_k(normed), self.n_kv_heads)
        new_values = self.split_into_heads(self.W_v(normed), self.n_kv_heads)

        queries = rotary(queries, positions, self.base)
        new_keys = rotary(new_keys, positions, self.base)

        all_keys = torch.cat([past_keys, new_keys], dim=2)
        all_values = torch.cat([past_values, new_values], dim=2)

        whole_mask = sliding_mask(number_of_tokens, self.window)
        mask_of_new_tokens = whole_mask[number_of_past_tokens:, :].to(normed.device)

        heads = grouped_attention(queries, all_keys, all_values, mask_of_new_tokens)
        return self.W_o(self.merge_heads(heads)), (all_keys, all_values)

    def feed_forward(self, normed: Tensor) -> Tensor:
        return swiglu(normed, self.W_gate.weight, self.W_up.weight, self.W_down.weight)

    def forward(self, x: Tensor, past: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        from_attention, new_pair = self.attention(rms_norm(x, self.gain_1), past)
        x = x + from_attention
        from_network = self.feed_forward(rms_norm(x, self.gain_2))
        x = x + from_network
        return x, new_pair


class ModernLM(nn.Module):
    """A decoder-only model with RMS norms, rotations, grouped heads, a sliding window, SwiGLU and tied embeddings.

    Its state dict has these names and no others. Gains are parameters of their own; the W are nn.Linear without a bias.

        embedding.weight                             (vocab, d_model)
        blocks.0.gain_1, blocks.0.gain_2             (d_model,), ones at first; in the same way blocks.1.gain_1 and so on
        blocks.0.W_q.weight, blocks.0.W_o.weight     (d_model, d_model)
        blocks.0.W_k.weight, blocks.0.W_v.weight     (n_kv_heads * d_head, d_model) with d_head = d_model / n_heads
        blocks.0.W_gate.weight, blocks.0.W_up.weight (d_ff, d_model)
        blocks.0.W_down.weight                       (d_model, d_ff)
        final_gain                                   (d_model,), ones at first

    Its cache is a list with a pair (keys, values) for each block, both (batch, n_kv_heads, T_past, d_head): split into heads,
    the keys already turned. None stands for the cache before anything was read.
    """

    def __init__(
        self,
        vocab: int,
        d_model: int,
        n_heads: int,
        n_kv_heads: int,
        d_ff: int,
        n_layers: int,
        window: int,
        base: float = 10000.0,
    ) -> None:
        """Make the parameters, and keep every argument as an attribute under its own name.

        Watch: an output map of its own would be a parameter that the state dict must not have. `nn.ModuleList` holds blocks so
        that their parameters are found; a plain list hides them.
        Source: README, section 5.
        """
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model has to be a multiple of n_heads")
        if n_heads % n_kv_heads != 0:
            raise ValueError("n_heads has to be a multiple of n_kv_heads")
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base
        self.embedding = nn.Embedding(num_embeddings=vocab, embedding_dim=d_model)
        list_of_blocks = []
        for _ in range(n_layers):
            list_of_blocks.append(TransformerBlock(d_model, n_heads, n_kv_heads, d_ff, window, base))
        self.blocks = nn.ModuleList(list_of_blocks)
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read tokens behind those in the cache, and say at each of them which token comes next.

            x = embedding(ids)
            x = x + W_o(attention(rms_norm(x, gain_1)))     in each block: queries and keys turned, heads grouped, a
            x = x + swiglu(rms_norm(x, gain_2))             sliding window
            logits = rms_norm(x, final_gain) E^T            with E the weight of the embedding

        Args:
            ids: (batch, T_new), the new tokens; they stand at the positions T_past, T_past + 1, ...
            cache: of the tokens before them, or None if there are none.

        Returns:
            logits: (batch, T_new, vocab). No softmax.
            cache: of all T_past + T_new tokens, for the next call.

        Watch: the window counts positions, also those in the cache. The cache you were given stays as it was: the caller may
        want to go on from it in another way.
        Source: Touvron et al. 2023, section 2.2; README, section 5.
        """
        # a cache of no tokens, so that there is one case only
        if cache is None:
            nothing = torch.zeros(
                ids.size(0),
                self.n_kv_heads,
                0,
                self.d_model // self.n_heads,
                device=ids.device,
                dtype=self.embedding.weight.dtype,
            )
            cache = [(nothing, nothing) for _ in range(self.n_layers)]

        x = self.embedding(ids)
        new_cache = []
        for block, past in zip(self.blocks, cache):
            x, new_pair = block(x, past)
            new_cache.append(new_pair)

        final_vectors = rms_norm(x, self.final_gain)
        logits = torch.matmul(final_vectors, self.embedding.weight.transpose(0, 1))
        return logits, new_cache

    def sizes(self) -> list[float]:
        """Return what the constructor has kept, given."""
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids: Tensor, pieces: Sequence[int]) -> Tensor:
        """Read ids in pieces of these lengths with a cache, given: the logits of all positions."""
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt: Tensor, endings: Sequence[Tensor]) -> list[Tensor]:
        """Read a prompt once and go on from it with each of several endings, given: the logits of each ending."""
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def init_(model: Any, generator: torch.Generator) -> dict[str, Tensor]:
    """Give a model its first parameters, as GPT-2 does: small weights, smaller still where they write into the residual stream.

        gains, the parameters with one axis     1
        W_o.weight and W_down.weight            STD / sqrt(2 n_layers) times standard normal numbers
        all other matrices                      STD times standard normal numbers

    Go through model.named_parameters() in its order, and draw each matrix with one call of

        torch.randn(shape, generator=generator)

    Args:
        model: parameters with the names of ModernLM, and len(model.blocks) layers.
        generator: where the random numbers come from.

    Returns:
        state: model.state_dict(), so that one can look at it.

    Watch: change the values in place under torch.no_grad(); a new tensor would not be the model's parameter any more. The
    embedding is also the output map, and there once.
    Source: Radford et al. 2019, section 2.3; README, section 4.
    """
    number_of_layers = len(model.blocks)
    number_of_writes = 2 * number_of_layers
    standard_deviation_of_writers = STD / math.sqrt(number_of_writes)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            number_of_axes = len(parameter.shape)
            if number_of_axes == 1:
                parameter.fill_(1.0)
            elif name.endswith("W_o.weight"):
                parameter.copy_(standard_deviation_of_writers * torch.randn(parameter.shape, generator=generator))
            elif name.endswith("W_down.weight"):
                parameter.copy_(standard_deviation_of_writers * torch.randn(parameter.shape, generator=generator))
            else:
                parameter.copy_(STD * torch.randn(parameter.shape, generator=generator))
    state = model.state_dict()
    return state


def count(model: Any, context: int) -> tuple[int, int]:
    """Count the parameters of a ModernLM, and the floating-point operations that it takes for one token.

    A product of a matrix (out, in) with a vector counts 2 * out * in: a product and a sum for each entry. Count all matrices of
    the model that the token goes through, the output map included, and in each head the scores and the weighted sum of
    values. Looking up an embedding, norms, rotations, softmax, SiLU and sums of vectors count nothing.

    Args:
        model: a ModernLM, of which you need the sizes vocab, d_model, n_heads, n_kv_heads, d_ff and n_layers.
        context: how many tokens the token may look at, itself included; alike in all layers.

    Returns:
        parameters, flops: two whole numbers.

    Watch: the embedding is a table when it is read from and a matrix when logits are made; its parameters are there once.
    Source: Kaplan et al. 2020, table 1; README, section 5.
    """
    d_head = model.d_model // model.n_heads

    # parameters
    W_q = model.d_model * model.d_model
    W_o = model.d_model * model.d_model
    W_k = model.n_kv_heads * d_head * model.d_model
    W_v = model.n_kv_heads * d_head * model.d_model
    W_gate = model.d_ff * model.d_model
    W_up = model.d_ff * model.d_model
    W_down = model.d_model * model.d_ff
    matrices_of_a_layer = W_q + W_o + W_k + W_v + W_gate + W_up + W_down
    gains_of_a_layer = 2 * model.d_model
    embedding = model.vocab * model.d_model
    final_gain = model.d_model
    parameters = embedding + model.n_layers * (matrices_of_a_layer + gains_of_a_layer) + final_gain

    # operations
    scores = model.n_heads * 2 * d_head * context
    weighted_sum = model.n_heads * 2 * d_head * context
    flops_of_a_layer = 2 * matrices_of_a_layer + scores + weighted_sum
    flops_of_the_output = 2 * embedding
    flops = model.n_layers * flops_of_a_layer + flops_of_the_output
    return parameters, flops


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    """Return the cross-entropy with smoothed targets: a part eps of the probability is asked for all tokens alike.

        loss = mean of (1 - eps) * (-log p[target]) + eps * mean over the vocabulary of (-log p)

    Args:
        logits: (batch, time, vocab).
        targets: (batch, time), the tokens that do come.
        eps: between 0 and 1; 0 gives the plain cross-entropy.

    Returns:
        loss: a tensor with one number and no axes, from which gradients flow back.

    Watch: the part eps is shared by all tokens, the right one included. Logits may be large: take logarithms with
    log_softmax.
    Source: Szegedy et al. 2016, section 7; README, section 6.
    """
    batch_size, time, vocab = logits.shape
    log_probabilities = torch.nn.functional.log_softmax(logits, dim=2)
    index = targets.reshape(batch_size, time, 1)
    log_probability_of_target = torch.gather(log_probabilities, dim=2, index=index).reshape(batch_size, time)
    mean_log_probability = torch.mean(log_probabilities, dim=2)
    loss_of_target = -log_probability_of_target
    loss_of_all = -mean_log_probability
    losses = (1.0 - eps) * loss_of_target + eps * loss_of_all
    return torch.mean(losses)


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    """Take one step of AdamW.

        m = beta1 m + (1 - beta1) g            m_hat = m / (1 - beta1^t)
        v = beta2 v + (1 - beta2) g^2          v_hat = v / (1 - beta2^t)        with t counted from 1
        w = w - lr * decay * w - lr * m_hat / (sqrt(v_hat) + eps)               w on the right as it was

    Args:
        w: a parameter, of any shape.
        g: its gradient.
        state: (m, v, steps): both averages, and how many steps were taken; before the first one zeros and 0.
        lr: the learning rate.
        betas: how much of both averages is kept.
        eps: a small number, outside the root.
        decay: how much of itself the parameter loses, times lr.

    Returns:
        w: the parameter after the step.
        state: (m, v, steps) after the step. What was handed in stays as it was.

    Watch: m and v are kept as they are, without the correction. The decay does not go through the averages.
    Not allowed: torch.optim.
    Source: Loshchilov and Hutter 2019, algorithm 2; README, section 6.
    """
    old_m, old_v, old_steps = state
    beta1, beta2 = betas
    new_steps = old_steps + 1
    new_m = beta1 * old_m + (1.0 - beta1) * g
    new_v = beta2 * old_v + (1.0 - beta2) * torch.mul(g, g)
    bias_correction_1 = 1.0 - math.pow(beta1, new_steps)
    bias_correction_2 = 1.0 - math.pow(beta2, new_steps)
    m_hat = new_m / bias_correction_1
    v_hat = new_v / bias_correction_2
    decay_step = lr * decay * w
    adaptive_step = lr * m_hat / (torch.sqrt(v_hat) + eps)
    new_w = w - decay_step - adaptive_step
    return new_w, (new_m, new_v, new_steps)


def top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the fewest most probable tokens whose probabilities together reach p, and share everything among them.

    Args:
        logits: (..., vocab), no two of a row alike.
        p: above 0, and 1 at most.

    Returns:
        probabilities: (..., vocab); 0 for what is left out, and every row sums to 1.

    Watch: the token that crosses p stays, so the most probable one always does. Every token keeps its place.
    Source: Holtzman et al. 2020, section 3.1; README, section 7.
    """
    probabilities = torch.softmax(logits, dim=-1)
    sorted_probabilities, sorted_indices = torch.sort(probabilities, dim=-1, descending=True)
    running_sums = torch.cumsum(sorted_probabilities, dim=-1)
    # token number n stays if the tokens before it do not reach p without it
    sums_before = torch.cat([torch.zeros_like(running_sums[..., :1]), running_sums[..., :-1]], dim=-1)
    stays_in_sorted_order = sums_before < p
    # back to the places in the vocabulary
    stays = torch.zeros_like(probabilities, dtype=torch.bool)
    stays = torch.scatter(stays, -1, sorted_indices, stays_in_sorted_order)
    kept = torch.where(stays, probabilities, torch.zeros_like(probabilities))
    total = torch.sum(kept, dim=-1, keepdim=True)
    return kept / total


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_rms_keeps": "b",
        "why_group": "d",
        "why_tie": "a",
        "decay_aside": "c",
        "cache_of_groups": "c",
        "reach_of_windows": "b",
        "first_step": "d",
        "nucleus_size": "a",
    }
    return answers
