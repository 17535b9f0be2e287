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

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    return x / (x.square().mean(-1, True) + eps).sqrt() * gain


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_up), W_down)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    d = x.size(-1)
    a = positions.outer(base ** (torch.arange(0, d, 2, device=x.device) / -d))
    z = torch.view_as_complex(x.contiguous().unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(a), a)
    return torch.view_as_real(z).flatten(-2)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    k, v = (y.repeat_interleave(q.size(1) // k.size(1), 1) for y in (k, v))
    s = q @ k.mT / q.size(-1) ** 0.5
    return (s if mask is None else s.where(mask, -torch.inf)).softmax(-1) @ v


def sliding_mask(T: int, window: int) -> Tensor:
    return (m := torch.ones(T, T, dtype=bool)).tril() & m.triu(-window + 1)


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
        d, kv = d_model, d_model // n_heads * n_kv_heads
        io = dict(W_q=(d, d), W_o=(d, d), W_k=(d, kv), W_v=(d, kv), W_gate=(d, d_ff), W_up=(d, d_ff), W_down=(d_ff, d))
        self.embedding = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(nn.ModuleDict({n: nn.Linear(*s, bias=False) for n, s in io.items()}) for _ in range(n_layers))
        for b in self.blocks:
            b.gain_1, b.gain_2 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.ones(d))
        self.final_gain = nn.Parameter(torch.ones(d))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        P = cache[0][0].size(2) if cache else 0
        T = P + ids.size(1)
        pos, mask = torch.arange(P, T, device=ids.device), sliding_mask(T, self.window)[P:].to(ids.device)
        x, out = self.embedding(ids), []
        for i, b in enumerate(self.blocks):
            h = rms_norm(x, b.gain_1)
            q, k, v = (b[n](h).unflatten(-1, (-1, self.d_model // self.n_heads)).transpose(1, 2) for n in ("W_q", "W_k", "W_v"))
            q, k = rotary(q, pos, self.base), rotary(k, pos, self.base)
            if cache:
                k, v = (torch.cat(pair, 2) for pair in zip(cache[i], (k, v)))
            out += [(k, v)]
            x = x + b["W_o"](grouped_attention(q, k, v, mask).transpose(1, 2).flatten(2))
            x = x + swiglu(rms_norm(x, b.gain_2), *(b[n].weight for n in ("W_gate", "W_up", "W_down")))
        return F.linear(rms_norm(x, self.final_gain), self.embedding.weight), out

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
    with torch.no_grad():
        for n, p in model.named_parameters():
            s = STD / (2 * len(model.blocks)) ** (0.5 * ("W_o" in n or "W_down" in n))
            p.copy_(s * torch.randn(p.shape, generator=generator) if p.ndim > 1 else torch.ones_like(p))
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    d, f, L, E = model.d_model, model.d_ff, model.n_layers, model.vocab * model.d_model
    M = 2 * d * d + 2 * d * d * model.n_kv_heads // model.n_heads + 3 * d * f
    return E + d + L * (M + 2 * d), 2 * E + L * (2 * M + 4 * d * context)


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), targets, label_smoothing=eps)


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    (m, v, t), (a, b) = state, betas
    m, v, t = a * m + (1 - a) * g, b * v + (1 - b) * g * g, t + 1
    return w - lr * (decay * w + m / (1 - a**t) / ((v / (1 - b**t)).sqrt() + eps)), (m, v, t)


def top_p(logits: Tensor, p: float) -> Tensor:
    s, o = logits.softmax(-1).sort(-1, True)
    s = (s * (s.cumsum(-1) - s < p)).gather(-1, o.argsort(-1))
    return s / s.sum(-1, True)


def quiz() -> dict[str, str]:
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
