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
import torch.nn.functional as F
from torch import Tensor, nn

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * gain


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    return (F.silu(x @ W_gate.T) * (x @ W_up.T)) @ W_down.T


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    d = x.shape[-1]
    freqs = base ** (-torch.arange(0, d, 2, device=x.device) / d)
    angle = positions.to(x.device)[:, None] * freqs
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


def sliding_mask(T: int, window: int) -> Tensor:
    i, j = torch.arange(T)[:, None], torch.arange(T)
    return (i - window < j) & (j <= i)


class Block(nn.Module):
    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int, d_ff: int) -> None:
        super().__init__()
        d_kv = n_kv_heads * (d_model // n_heads)
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_kv, bias=False)
        self.W_v = nn.Linear(d_model, d_kv, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.gain_2 = nn.Parameter(torch.ones(d_model))
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)


class ModernLM(nn.Module):
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
        super().__init__()
        self.vocab, self.d_model, self.n_heads, self.n_kv_heads = vocab, d_model, n_heads, n_kv_heads
        self.d_ff, self.n_layers, self.window, self.base = d_ff, n_layers, window, base
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, n_kv_heads, d_ff) for _ in range(n_layers))
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = cache[0][0].shape[2] if cache is not None else 0
        total = past + ids.shape[1]
        positions = torch.arange(past, total, device=ids.device)
        mask = sliding_mask(total, self.window)[past:].to(ids.device)
        x, new_cache = self.embedding(ids), []
        for i, b in enumerate(self.blocks):
            h = rms_norm(x, b.gain_1)
            q = rotary(b.W_q(h).unflatten(-1, (self.n_heads, -1)).transpose(1, 2), positions, self.base)
            k = rotary(b.W_k(h).unflatten(-1, (self.n_kv_heads, -1)).transpose(1, 2), positions, self.base)
            v = b.W_v(h).unflatten(-1, (self.n_kv_heads, -1)).transpose(1, 2)
            if cache is not None:
                k, v = torch.cat([cache[i][0], k], 2), torch.cat([cache[i][1], v], 2)
            new_cache.append((k, v))
            x = x + b.W_o(grouped_attention(q, k, v, mask).transpose(1, 2).flatten(2))
            x = x + swiglu(rms_norm(x, b.gain_2), b.W_gate.weight, b.W_up.weight, b.W_down.weight)
        return rms_norm(x, self.final_gain) @ self.embedding.weight.T, new_cache

    def sizes(self) -> list[float]:
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids: Tensor, pieces: Sequence[int]) -> Tensor:
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt: Tensor, endings: Sequence[Tensor]) -> list[Tensor]:
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def init_(model: Any, generator: torch.Generator) -> dict[str, Tensor]:
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1:
                p.fill_(1.0)
            else:
                std = STD / math.sqrt(2 * len(model.blocks)) if name.endswith(("W_o.weight", "W_down.weight")) else STD
                p.copy_(std * torch.randn(p.shape, generator=generator))
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    d, d_kv = model.d_model, model.n_kv_heads * (model.d_model // model.n_heads)
    matrices = 2 * d * d + 2 * d * d_kv + 3 * d * model.d_ff
    parameters = model.n_layers * (matrices + 2 * d) + model.vocab * d + d
    flops = model.n_layers * (2 * matrices + 4 * d * context) + 2 * model.vocab * d
    return parameters, flops


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    nll = -logits.log_softmax(-1)
    right = nll.gather(-1, targets[..., None]).squeeze(-1)
    return ((1 - eps) * right + eps * nll.mean(-1)).mean()


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    (m, v, t), (b1, b2) = state, betas
    m, v, t = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g, t + 1
    m_hat, v_hat = m / (1 - b1**t), v / (1 - b2**t)
    w = w - lr * decay * w - lr * m_hat / (v_hat.sqrt() + eps)
    return w, (m, v, t)


def top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    before = probs.cumsum(-1) - probs
    keep = (before < p) | (p >= 1)
    kept = torch.zeros_like(probs).scatter(-1, order, probs * keep)
    return kept / kept.sum(-1, keepdim=True)


def debugging_lab() -> dict[str, str]:
    return {"run_1": "c", "run_2": "a", "run_3": "d", "run_4": "b", "run_5": "b"}


def quiz() -> dict[str, str]:
    return {
        "what_rms_keeps": "b",
        "why_group": "d",
        "why_tie": "a",
        "decay_aside": "c",
        "cache_of_groups": "c",
        "reach_of_windows": "b",
        "first_step": "d",
        "nucleus_size": "a",
    }
