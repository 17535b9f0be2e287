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
from torch.nn import functional

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def interleaved_to_half(x):
    """(x0, x1, x2, x3, ...) becomes (x0, x2, ..., x1, x3, ...), the layout of the transformers library."""
    return torch.cat(tensors=(x[..., 0::2], x[..., 1::2]), dim=-1)


def half_to_interleaved(x):
    first, second = x.chunk(chunks=2, dim=-1)
    return torch.stack(tensors=(first, second), dim=-1).flatten(start_dim=-2)


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat(tensors=(-x2, x1), dim=-1)


def repeat_kv(*, hidden_states, n_rep):
    batch, heads, length, head_dim = hidden_states.shape
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, heads, n_rep, length, head_dim)
    return hidden_states.reshape(batch, heads * n_rep, length, head_dim)


class DecoderLayer(nn.Module):
    def __init__(self, *, hidden_size, num_heads, num_kv_heads, intermediate_size):
        super().__init__()
        head_dim = hidden_size // num_heads
        self.gain_1 = nn.Parameter(data=torch.ones(hidden_size))
        self.gain_2 = nn.Parameter(data=torch.ones(hidden_size))
        self.W_q = nn.Linear(in_features=hidden_size, out_features=hidden_size, bias=False)
        self.W_o = nn.Linear(in_features=hidden_size, out_features=hidden_size, bias=False)
        self.W_k = nn.Linear(in_features=hidden_size, out_features=num_kv_heads * head_dim, bias=False)
        self.W_v = nn.Linear(in_features=hidden_size, out_features=num_kv_heads * head_dim, bias=False)
        self.W_gate = nn.Linear(in_features=hidden_size, out_features=intermediate_size, bias=False)
        self.W_up = nn.Linear(in_features=hidden_size, out_features=intermediate_size, bias=False)
        self.W_down = nn.Linear(in_features=intermediate_size, out_features=hidden_size, bias=False)
        self.head_dim = head_dim

    def forward(self, *, hidden_states, position_ids, attention_mask, past, base):
        shape = (*hidden_states.shape[:-1], -1, self.head_dim)
        residual = hidden_states
        hidden_states = rms_norm(x=hidden_states, gain=self.gain_1, eps=1e-5)
        query = self.W_q(hidden_states).view(shape).transpose(1, 2)
        key = self.W_k(hidden_states).view(shape).transpose(1, 2)
        value = self.W_v(hidden_states).view(shape).transpose(1, 2)
        query = rotary(x=query, positions=position_ids, base=base)
        key = rotary(x=key, positions=position_ids, base=base)
        if past is not None:
            key = torch.cat(tensors=(past[0], key), dim=2)
            value = torch.cat(tensors=(past[1], value), dim=2)
        attended = grouped_attention(q=query, k=key, v=value, mask=attention_mask)
        hidden_states = residual + self.W_o(attended.transpose(1, 2).reshape(residual.shape))
        residual = hidden_states
        hidden_states = rms_norm(x=hidden_states, gain=self.gain_2, eps=1e-5)
        hidden_states = residual + swiglu(
            x=hidden_states, W_gate=self.W_gate.weight, W_up=self.W_up.weight, W_down=self.W_down.weight
        )
        return hidden_states, (key, value)


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
    variance = x.pow(exponent=2).mean(dim=-1, keepdim=True)
    return gain * (x * torch.rsqrt(variance + eps))


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
    gate = functional.silu(functional.linear(input=x, weight=W_gate))
    up = functional.linear(input=x, weight=W_up)
    return functional.linear(input=gate * up, weight=W_down)


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
    dim = x.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, dtype=torch.float32, device=x.device) / dim)
    freqs = positions.float()[:, None] @ inv_freq[None, :]
    emb = torch.cat(tensors=(freqs, freqs), dim=-1)
    cos, sin = emb.cos().to(dtype=x.dtype), emb.sin().to(dtype=x.dtype)
    x = interleaved_to_half(x)
    return half_to_interleaved(x * cos + rotate_half(x) * sin)


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
    n_rep = q.shape[1] // k.shape[1]
    k = repeat_kv(hidden_states=k, n_rep=n_rep)
    v = repeat_kv(hidden_states=v, n_rep=n_rep)
    weights = torch.matmul(input=q, other=k.transpose(2, 3)) * (1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        weights = weights.masked_fill(mask=torch.logical_not(mask)[None, None, :, :], value=torch.finfo(weights.dtype).min)
    weights = functional.softmax(input=weights, dim=-1)
    return torch.matmul(input=weights, other=v)


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
    cache_position = torch.arange(start=0, end=T)
    distance = cache_position.reshape(-1, 1) - cache_position.reshape(1, -1)
    return distance.ge(0).logical_and(distance.lt(window))


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
        arguments = {
            "vocab": vocab,
            "d_model": d_model,
            "n_heads": n_heads,
            "n_kv_heads": n_kv_heads,
            "d_ff": d_ff,
            "n_layers": n_layers,
            "window": window,
            "base": base,
        }
        for name, value in arguments.items():
            setattr(self, name, value)
        self.embedding = nn.Embedding(num_embeddings=vocab, embedding_dim=d_model)
        self.blocks = nn.ModuleList(
            modules=[
                DecoderLayer(hidden_size=d_model, num_heads=n_heads, num_kv_heads=n_kv_heads, intermediate_size=d_ff)
                for _ in range(n_layers)
            ]
        )
        self.final_gain = nn.Parameter(data=torch.ones(d_model))

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
        past_length = 0 if cache is None else cache[0][0].shape[2]
        total = past_length + ids.shape[1]
        position_ids = torch.arange(start=past_length, end=total, device=ids.device)
        attention_mask = sliding_mask(T=total, window=self.window).to(device=ids.device)[past_length:total, :]
        hidden_states = self.embedding(ids)
        present = []
        for index, layer in enumerate(self.blocks):
            hidden_states, pair = layer(
                hidden_states=hidden_states,
                position_ids=position_ids,
                attention_mask=attention_mask,
                past=None if cache is None else cache[index],
                base=self.base,
            )
            present.append(pair)
        hidden_states = rms_norm(x=hidden_states, gain=self.final_gain)
        return functional.linear(input=hidden_states, weight=self.embedding.weight), present

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
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            parameter.data.fill_(1.0)
        else:
            residual = name.endswith("W_o.weight") or name.endswith("W_down.weight")
            std = STD / math.sqrt(2 * len(model.blocks)) if residual else STD
            parameter.data.copy_(torch.randn(parameter.shape, generator=generator) * std)
    return model.state_dict()


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
    embedding = model.vocab * model.d_model
    attention = 2 * model.d_model**2 + 2 * model.d_model * (model.d_model // model.n_heads) * model.n_kv_heads
    mlp = 3 * model.d_model * model.d_ff
    parameters = embedding + model.d_model + model.n_layers * (attention + mlp + 2 * model.d_model)
    non_embedding = model.n_layers * (attention + mlp)
    flops = 2 * (non_embedding + embedding) + 4 * model.n_layers * context * model.d_model
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
    log_probs = functional.log_softmax(input=logits, dim=-1)
    one_hot = functional.one_hot(targets, num_classes=logits.shape[-1])
    wanted = one_hot * (1.0 - eps) + eps / logits.shape[-1]
    return (-(wanted * log_probs)).sum(dim=-1).mean()


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
    exp_avg, exp_avg_sq, step = state
    beta1, beta2 = betas
    step = step + 1
    exp_avg = exp_avg.clone().mul_(beta1).add_(g, alpha=1 - beta1)
    exp_avg_sq = exp_avg_sq.clone().mul_(beta2).addcmul_(g, g, value=1 - beta2)
    step_size = lr * math.sqrt(1 - beta2**step) / (1 - beta1**step)
    denom = exp_avg_sq.sqrt().add(eps * math.sqrt(1 - beta2**step))
    updated = w - step_size * exp_avg / denom - lr * decay * w
    return updated, (exp_avg, exp_avg_sq, step)


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
    sorted_logits, sorted_indices = torch.sort(input=logits, dim=-1, descending=False)
    cumulative_probs = functional.softmax(input=sorted_logits, dim=-1).cumsum(dim=-1)
    remove = cumulative_probs <= 1 - p
    remove = torch.cat(tensors=(remove[..., :-1], torch.zeros_like(remove[..., -1:])), dim=-1)
    remove = remove.scatter(dim=-1, index=sorted_indices, src=remove)
    return functional.softmax(input=logits.masked_fill(mask=remove, value=-math.inf), dim=-1)


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
