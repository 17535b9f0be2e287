"""modern_lm, vectorised."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, einsum, nn

STD = 0.02

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    return gain * x * torch.rsqrt(einsum("...d,...d->...", x, x)[..., None] / x.shape[-1] + eps)


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_up), W_down)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    half = torch.arange(0, x.shape[-1], 2, device=x.device, dtype=torch.float64) / x.shape[-1]
    theta = positions.to(x.device, torch.float64)[:, None] * base**-half
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(theta), theta)).flatten(-2).to(x.dtype)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    grouped = q.unflatten(1, (k.shape[1], -1))  # batch, kv head, member of the group, time, feature
    scores = einsum("bgmqd,bgkd->bgmqk", grouped, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return einsum("bgmqk,bgkd->bgmqd", scores.softmax(-1), v).flatten(1, 2)


def sliding_mask(T: int, window: int) -> Tensor:
    behind = torch.arange(T)[:, None] - torch.arange(T)
    return (behind >= 0) & (behind < window)


class Layer(nn.Module):
    def __init__(self, sizes: dict[str, tuple[int, int]], d_model: int) -> None:
        super().__init__()
        for name, (n_out, n_in) in sizes.items():
            setattr(self, name, nn.Linear(n_in, n_out, bias=False))
        self.gain_1, self.gain_2 = (nn.Parameter(torch.ones(d_model)) for _ in range(2))


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
        narrow = d_model // n_heads * n_kv_heads
        sizes = {
            "W_q": (d_model, d_model),
            "W_k": (narrow, d_model),
            "W_v": (narrow, d_model),
            "W_o": (d_model, d_model),
            "W_gate": (d_ff, d_model),
            "W_up": (d_ff, d_model),
            "W_down": (d_model, d_ff),
        }
        self.final_gain = nn.Parameter(torch.ones(d_model))
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(Layer(sizes, d_model) for _ in range(n_layers))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = cache[0][0].size(-2) if cache else 0
        where = past + torch.arange(ids.size(1), device=ids.device)
        gap = where[:, None] - torch.arange(past + ids.size(1), device=ids.device)
        visible = (gap >= 0) & (gap < self.window)
        heads = lambda y: y.unflatten(-1, (-1, self.d_model // self.n_heads)).transpose(1, 2)  # noqa: E731

        x, kept = self.embedding(ids), []
        for i, b in enumerate(self.blocks):
            h = rms_norm(x, b.gain_1)
            q = rotary(heads(b.W_q(h)), where, self.base)
            k = rotary(heads(b.W_k(h)), where, self.base)
            v = heads(b.W_v(h))
            if cache:
                k, v = (torch.cat(both, dim=-2) for both in zip(cache[i], (k, v)))
            kept.append((k, v))
            x = x + b.W_o(grouped_attention(q, k, v, visible).transpose(1, 2).flatten(2))
            x = x + swiglu(rms_norm(x, b.gain_2), *(w.weight for w in (b.W_gate, b.W_up, b.W_down)))
        return F.linear(rms_norm(x, self.final_gain), self.embedding.weight), kept

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

@torch.no_grad()
def init_(model: Any, generator: torch.Generator) -> dict[str, Tensor]:
    quiet = STD * (2 * len(model.blocks)) ** -0.5
    for name, w in model.named_parameters():
        if w.ndim == 1:
            nn.init.ones_(w)
        else:
            writes = name.split(".")[-2] in {"W_o", "W_down"}
            w.copy_(torch.randn(w.shape, generator=generator).mul_(quiet if writes else STD))
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    everything = list(model.parameters())
    matrices = sum(w.numel() for w in everything if w.ndim == 2)
    attention = 4 * model.n_layers * model.d_model * context
    return sum(w.numel() for w in everything), 2 * matrices + attention


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    log_p = F.log_softmax(logits, -1)
    wanted = (1 - eps) * F.one_hot(targets, logits.shape[-1]) + eps / logits.shape[-1]
    return -(wanted * log_p).sum(-1).mean()


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    steps = state[2] + 1
    m, v = (torch.lerp(new, old, beta) for old, new, beta in zip(state[:2], (g, g.square()), betas))
    m_hat, v_hat = (average / (1 - beta**steps) for average, beta in zip((m, v), betas))
    return w * (1 - lr * decay) - lr * m_hat / (v_hat.sqrt() + eps), (m, v, steps)


def top_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    ranked, order = probs.sort(-1, descending=True)
    before = ranked.cumsum(-1) - ranked
    stay = (before < p) | (p >= 1)
    stay[..., 0] = True
    stay = torch.zeros_like(stay).scatter(-1, order, stay)
    kept = probs * stay
    return kept / kept.sum(-1, keepdim=True)


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_rms_keeps": "",
        "why_group": "",
        "why_tie": "",
        "decay_aside": "",
        "cache_of_groups": "",
        "reach_of_windows": "",
        "first_step": "",
        "nucleus_size": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
