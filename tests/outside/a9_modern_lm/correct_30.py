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

from math import sqrt
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    """Divide every vector by the root of its mean square, and scale each feature."""
    d_model = x.shape[-1]
    squares = x**2
    mean_square = squares.sum(dim=-1, keepdim=True) / d_model
    root = torch.sqrt(mean_square + eps)
    return (x / root) * gain


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    """Pass x through a gated feed-forward network: one map goes through SiLU and multiplies another."""
    gate = x @ W_gate.T
    gate = gate * torch.sigmoid(gate)
    up = x @ W_up.T
    hidden = gate * up
    return hidden @ W_down.T


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn each pair of neighbouring features by an angle that grows with the position."""
    d_head = x.shape[3]
    columns = []
    for i in range(d_head // 2):
        theta = base ** (-2 * i / d_head)
        angle = positions.to(x.dtype) * theta          # (time,)
        cos = torch.cos(angle)
        sin = torch.sin(angle)
        first = x[:, :, :, 2 * i]
        second = x[:, :, :, 2 * i + 1]
        columns.append(first * cos - second * sin)
        columns.append(first * sin + second * cos)
    return torch.stack(columns, dim=3)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Let every query head read the key-value head of its group."""
    n_heads = q.shape[1]
    n_kv_heads = k.shape[1]
    d_head = q.shape[3]
    group = n_heads // n_kv_heads
    results = []
    for h in range(n_heads):
        j = h // group
        scores = torch.bmm(q[:, h], k[:, j].transpose(1, 2)) / sqrt(d_head)
        if mask is not None:
            scores = torch.where(mask, scores, torch.full_like(scores, -1e30))
        weights = torch.softmax(scores, dim=2)
        results.append(torch.bmm(weights, v[:, j]))
    return torch.stack(results, dim=1)


def sliding_mask(T: int, window: int) -> Tensor:
    """Let every position look at itself and at the window - 1 positions before it."""
    mask = torch.zeros(T, T, dtype=torch.bool)
    for i in range(T):
        first = max(0, i - window + 1)
        mask[i, first : i + 1] = True
    return mask


class ModernLM(nn.Module):
    """A decoder-only model with RMS norms, rotations, grouped heads, a sliding window, SwiGLU and tied embeddings."""

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
        """Make the parameters, and keep every argument as an attribute under its own name."""
        super().__init__()
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base
        self.d_head = d_model // n_heads

        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            block = nn.Module()
            block.gain_1 = nn.Parameter(torch.ones(d_model))
            block.W_q = nn.Linear(d_model, d_model, bias=False)
            block.W_k = nn.Linear(d_model, n_kv_heads * self.d_head, bias=False)
            block.W_v = nn.Linear(d_model, n_kv_heads * self.d_head, bias=False)
            block.W_o = nn.Linear(d_model, d_model, bias=False)
            block.gain_2 = nn.Parameter(torch.ones(d_model))
            block.W_gate = nn.Linear(d_model, d_ff, bias=False)
            block.W_up = nn.Linear(d_model, d_ff, bias=False)
            block.W_down = nn.Linear(d_ff, d_model, bias=False)
            self.blocks.append(block)
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read tokens behind those in the cache, and say at each of them which token comes next."""
        batch, T_new = ids.shape
        if cache is None:
            T_past = 0
        else:
            T_past = cache[0][0].shape[2]
        T = T_past + T_new
        positions = torch.arange(T_past, T, device=ids.device)
        mask = sliding_mask(T, self.window)[T_past:T, :].to(ids.device)

        x = self.embedding(ids)
        next_cache = []
        for b in range(self.n_layers):
            block = self.blocks[b]

            # attention
            normed = rms_norm(x, block.gain_1)
            q = block.W_q(normed).reshape(batch, T_new, self.n_heads, self.d_head).transpose(1, 2)
            k = block.W_k(normed).reshape(batch, T_new, self.n_kv_heads, self.d_head).transpose(1, 2)
            v = block.W_v(normed).reshape(batch, T_new, self.n_kv_heads, self.d_head).transpose(1, 2)
            q = rotary(q, positions, self.base)
            k = rotary(k, positions, self.base)
            if cache is not None:
                old_k, old_v = cache[b]
                k = torch.cat((old_k, k), dim=2)
                v = torch.cat((old_v, v), dim=2)
            next_cache.append((k, v))
            attended = grouped_attention(q, k, v, mask)
            attended = attended.transpose(1, 2).reshape(batch, T_new, self.d_model)
            x = x + block.W_o(attended)

            # feed-forward network
            normed = rms_norm(x, block.gain_2)
            x = x + swiglu(normed, block.W_gate.weight, block.W_up.weight, block.W_down.weight)

        normed = rms_norm(x, self.final_gain)
        logits = normed @ self.embedding.weight.T
        return logits, next_cache

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
    """Give a model its first parameters, as GPT-2 does: small weights, smaller still where they write into the residual stream."""
    n = len(model.blocks)
    for name, parameter in model.named_parameters():
        if len(parameter.shape) == 1:
            values = torch.ones(parameter.shape)
        else:
            values = torch.randn(parameter.shape, generator=generator) * STD
            last = name.split(".")[-2]
            if last == "W_o" or last == "W_down":
                values = values / sqrt(2 * n)
        with torch.no_grad():
            parameter.copy_(values)
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    """Count the parameters of a ModernLM, and the floating-point operations that it takes for one token."""
    d = model.d_model
    d_head = d // model.n_heads
    kv = model.n_kv_heads * d_head

    matrices = 0
    matrices += d * d                # W_q
    matrices += kv * d               # W_k
    matrices += kv * d               # W_v
    matrices += d * d                # W_o
    matrices += 3 * model.d_ff * d   # W_gate, W_up, W_down

    parameters = model.vocab * d
    parameters += model.n_layers * (matrices + 2 * d)
    parameters += d

    flops = 0
    for _ in range(model.n_layers):
        flops += 2 * matrices
        for _ in range(model.n_heads):
            flops += 2 * d_head * context    # scores
            flops += 2 * d_head * context    # weighted sum of values
    flops += 2 * model.vocab * d
    return parameters, flops


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    """Return the cross-entropy with smoothed targets: a share eps of the target is spread over the vocabulary."""
    vocab = logits.shape[-1]
    log_p = torch.log_softmax(logits, dim=-1)
    # what the model should say: a share for everybody, the rest for the right token
    wanted = torch.full_like(log_p, eps / vocab)
    wanted = wanted + (1 - eps) * torch.nn.functional.one_hot(targets, vocab).to(log_p.dtype)
    losses = -(wanted * log_p).sum(dim=-1)
    return losses.mean()


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    """Take one step of AdamW."""
    m_old, v_old, steps_old = state
    beta_1, beta_2 = betas
    steps = steps_old + 1
    m = beta_1 * m_old + (1 - beta_1) * g
    v = beta_2 * v_old + (1 - beta_2) * g * g
    correction_1 = 1 - beta_1**steps
    correction_2 = 1 - beta_2**steps
    direction = (m / correction_1) / (torch.sqrt(v / correction_2) + eps)
    new_w = w - lr * decay * w
    new_w = new_w - lr * direction
    return new_w, (m, v, steps)


def top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the fewest most probable tokens whose probabilities together reach p, and share everything among them."""
    vocab = logits.shape[-1]
    rows = logits.reshape(-1, vocab)
    results = []
    for row in rows:
        probabilities = torch.softmax(row, dim=0)
        order = torch.argsort(row, descending=True).tolist()
        result = torch.zeros_like(probabilities)
        running = 0.0
        for token in order:
            result[token] = probabilities[token]
            running += float(probabilities[token])
            if running >= p and p < 1:
                break
        results.append(result / result.sum())
    return torch.stack(results).reshape(logits.shape)


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause."""
    answers = {"run_1": "c", "run_2": "a", "run_3": "d", "run_4": "b", "run_5": "b"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
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
