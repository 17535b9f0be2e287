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
    """Root of the mean of the squares, step by step."""
    squares = x * x
    mean_square = squares.mean(dim=-1, keepdim=True)
    root = torch.sqrt(mean_square + eps)
    normed = x / root
    return normed * gain


def my_silu(a: Tensor) -> Tensor:
    """a * sigmoid(a)"""
    return a * torch.sigmoid(a)


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    """The gate decides how much of `up` passes."""
    gate = my_silu(torch.matmul(x, W_gate.transpose(0, 1)))
    up = torch.matmul(x, W_up.transpose(0, 1))
    inner = gate * up
    return torch.matmul(inner, W_down.transpose(0, 1))


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn one pair of features after the other."""
    d_head = x.shape[-1]
    places = positions.to(device=x.device, dtype=x.dtype)
    columns = []
    for pair in range(d_head // 2):
        frequency = base ** (-2 * pair / d_head)
        angle = places * frequency  # (time,)
        cosine = torch.cos(angle)
        sine = torch.sin(angle)
        first = x[..., 2 * pair]  # (batch, heads, time)
        second = x[..., 2 * pair + 1]
        columns.append(first * cosine - second * sine)
        columns.append(first * sine + second * cosine)
    return torch.stack(columns, dim=-1)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """One query head after the other."""
    n_heads = q.shape[1]
    n_kv_heads = k.shape[1]
    d_head = q.shape[-1]
    group = n_heads // n_kv_heads
    outputs = []
    for h in range(n_heads):
        j = h // group
        queries = q[:, h]
        keys = k[:, j]
        values = v[:, j]
        scores = torch.bmm(queries, keys.transpose(1, 2))
        scores = scores / math.sqrt(d_head)
        if mask is not None:
            scores = scores.masked_fill(torch.logical_not(mask), float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        outputs.append(torch.bmm(weights, values))
    return torch.stack(outputs, dim=1)


def sliding_mask(T: int, window: int) -> Tensor:
    """Ask for each pair of positions."""
    rows = []
    for i in range(T):
        row = []
        for j in range(T):
            not_later = j <= i
            not_too_far = j > i - window
            row.append(not_later and not_too_far)
        rows.append(row)
    return torch.tensor(rows, dtype=torch.bool).reshape(T, T)


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """(batch, time, n_heads * d_head) to (batch, n_heads, time, d_head)"""
    batch, time, width = x.shape
    return x.reshape(batch, time, n_heads, width // n_heads).permute(0, 2, 1, 3)


def join_heads(x: Tensor) -> Tensor:
    """(batch, n_heads, time, d_head) to (batch, time, n_heads * d_head)"""
    batch, n_heads, time, d_head = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, time, n_heads * d_head)


class DecoderBlock(nn.Module):
    """One layer: grouped attention, then SwiGLU, each behind an RMS norm."""

    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int, d_ff: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        d_head = d_model // n_heads
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.gain_2 = nn.Parameter(torch.ones(d_model))
        self.W_q = nn.Linear(d_model, n_heads * d_head, bias=False)
        self.W_k = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.W_v = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.W_o = nn.Linear(n_heads * d_head, d_model, bias=False)
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)

    def attend(
        self, x: Tensor, positions: Tensor, base: float, mask: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """What attention adds to the stream, and the keys and values of all tokens so far."""
        queries = split_heads(self.W_q(x), self.n_heads)
        keys = split_heads(self.W_k(x), self.n_kv_heads)
        values = split_heads(self.W_v(x), self.n_kv_heads)
        queries = rotary(queries, positions, base)
        keys = rotary(keys, positions, base)
        if past is not None:
            old_keys, old_values = past
            keys = torch.cat([old_keys, keys], dim=2)
            values = torch.cat([old_values, values], dim=2)
        mixed = grouped_attention(queries, keys, values, mask)
        return self.W_o(join_heads(mixed)), (keys, values)

    def forward(
        self, x: Tensor, positions: Tensor, base: float, mask: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The whole layer."""
        attended, present = self.attend(rms_norm(x, self.gain_1), positions, base, mask, past)
        x = x + attended
        fed = swiglu(rms_norm(x, self.gain_2), self.W_gate.weight, self.W_up.weight, self.W_down.weight)
        x = x + fed
        return x, present


class ModernLM(nn.Module):
    """A small LLaMA."""

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
        """Keep the sizes, make the parameters."""
        super().__init__()
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base

        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(DecoderBlock(d_model, n_heads, n_kv_heads, d_ff))
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read the new tokens behind the cache."""
        n_new = ids.shape[1]
        n_past = 0
        if cache is not None:
            n_past = cache[0][0].shape[2]

        positions = torch.arange(n_past, n_past + n_new, device=ids.device)
        whole_mask = sliding_mask(n_past + n_new, self.window)
        mask = whole_mask[n_past:, :].to(ids.device)

        x = self.embedding(ids)
        new_cache = []
        for number, block in enumerate(self.blocks):
            if cache is None:
                past = None
            else:
                past = cache[number]
            x, present = block(x, positions, self.base, mask, past)
            new_cache.append(present)

        x = rms_norm(x, self.final_gain)
        logits = torch.matmul(x, self.embedding.weight.transpose(0, 1))
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
    """Draw the matrices one after the other; gains are ones."""
    n_layers = len(model.blocks)
    small = STD / math.sqrt(2 * n_layers)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.fill_(1.0)
                continue
            noise = torch.randn(parameter.shape, generator=generator)
            if name.endswith("W_o.weight") or name.endswith("W_down.weight"):
                parameter.copy_(noise * small)
            else:
                parameter.copy_(noise * STD)
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    """Go through the model as in the table of the README."""
    d_head = model.d_model // model.n_heads
    kv_width = model.n_kv_heads * d_head

    parameters = model.vocab * model.d_model  # the embedding
    parameters += model.d_model  # the final gain
    flops = 2 * model.vocab * model.d_model  # the logits
    for _ in range(model.n_layers):
        entries = 0
        entries += model.d_model * model.d_model  # W_q
        entries += kv_width * model.d_model  # W_k
        entries += kv_width * model.d_model  # W_v
        entries += model.d_model * model.d_model  # W_o
        entries += model.d_ff * model.d_model  # W_gate
        entries += model.d_ff * model.d_model  # W_up
        entries += model.d_model * model.d_ff  # W_down
        parameters += entries
        parameters += 2 * model.d_model  # gain_1 and gain_2
        flops += 2 * entries
        for _ in range(model.n_heads):
            flops += 2 * d_head * context  # scores
            flops += 2 * d_head * context  # weighted sum of values
    return parameters, flops


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    """Flatten, then two parts: the right token, and all tokens alike."""
    vocab = logits.shape[-1]
    log_p = torch.log_softmax(logits.reshape(-1, vocab), dim=-1)
    wanted = targets.reshape(-1)
    rows = torch.arange(wanted.shape[0], device=logits.device)
    plain = -log_p[rows, wanted]
    spread = -log_p.sum(dim=-1) / vocab
    loss = (1 - eps) * plain + eps * spread
    return loss.mean()


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    """One step, nothing in place."""
    m_old, v_old, steps = state
    beta1, beta2 = betas
    t = steps + 1

    m = beta1 * m_old + (1 - beta1) * g
    v = beta2 * v_old + (1 - beta2) * g**2

    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)

    shrink = lr * decay * w
    move = lr * m_hat / (torch.sqrt(v_hat) + eps)
    w_new = w - shrink - move
    return w_new, (m, v, t)


def top_p_row(probabilities: Tensor, p: float) -> Tensor:
    """The nucleus of one row (vocab,)."""
    if p >= 1:
        return probabilities / probabilities.sum()
    kept = torch.zeros_like(probabilities)
    order = torch.argsort(probabilities, descending=True).tolist()
    reached = 0.0
    for token in order:
        kept[token] = probabilities[token]
        reached += float(probabilities[token])
        if reached >= p:
            break
    return kept / kept.sum()


def top_p(logits: Tensor, p: float) -> Tensor:
    """Row by row: take tokens, the best first, until p is reached."""
    vocab = logits.shape[-1]
    probabilities = torch.softmax(logits, dim=-1).reshape(-1, vocab)
    rows = [top_p_row(row, p) for row in probabilities]
    return torch.stack(rows).reshape(logits.shape)


def debugging_lab() -> dict[str, str]:
    """Which mistake made which run."""
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    answers["run_1"] = "c"  # .1 / sqrt(.001) = 3.16 times as long
    answers["run_2"] = "a"  # sees the answer
    answers["run_3"] = "d"  # only the cache is wrong
    answers["run_4"] = "b"  # 704 times as large
    answers["run_5"] = "b"  # knows which numbers, but not where
    return answers


def quiz() -> dict[str, str]:
    """My answers."""
    answers = {}
    answers["what_rms_keeps"] = "b"
    answers["why_group"] = "d"
    answers["why_tie"] = "a"
    answers["decay_aside"] = "c"
    answers["cache_of_groups"] = "c"  # 4 layers * 2 * 2 heads * 16 * 10
    answers["reach_of_windows"] = "b"  # 3 * 3
    answers["first_step"] = "d"
    answers["nucleus_size"] = "a"
    return answers
