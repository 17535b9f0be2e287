"""A language model of my own: functions first, and the model is glue."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

STD = 0.02

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    return x.div((x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()).mul(gain)


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_up), W_down)


def _quarter_turn(x: Tensor) -> Tensor:
    """(a, b) -> (-b, a) in each pair of neighbours."""
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape(x.shape)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    d_head = x.size(-1)
    pair = torch.arange(d_head, device=x.device) // 2  # 0 0 1 1 2 2 ...
    speed = torch.pow(torch.tensor(base, dtype=x.dtype, device=x.device), -2.0 * pair / d_head)
    angle = positions.to(x.device).unsqueeze(-1) * speed
    return x * angle.cos() + _quarter_turn(x) * angle.sin()


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    reads = torch.arange(q.size(1), device=q.device) // (q.size(1) // k.size(1))
    k, v = k[:, reads], v[:, reads]
    scores = (q / q.size(-1) ** 0.5) @ k.mT
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill(mask.logical_not(), float("-inf"))
        scores = scores + bias
    return F.softmax(scores, dim=-1) @ v


def sliding_mask(T: int, window: int) -> Tensor:
    everything = torch.ones(T, T, dtype=torch.bool)
    return everything.tril() & everything.triu(1 - window)



class Block(nn.Module):
    def __init__(self, lm: "ModernLM") -> None:
        super().__init__()
        self.shape = (lm.n_heads, lm.n_kv_heads, lm.d_model // lm.n_heads)
        self.base = lm.base
        d, kv = lm.d_model, lm.n_kv_heads * (lm.d_model // lm.n_heads)
        shapes = {"W_q": (d, d), "W_k": (kv, d), "W_v": (kv, d), "W_o": (d, d)}
        shapes |= {"W_gate": (lm.d_ff, d), "W_up": (lm.d_ff, d), "W_down": (d, lm.d_ff)}
        for name, (rows, columns) in shapes.items():
            setattr(self, name, nn.Linear(columns, rows, bias=False))
        self.gain_1 = nn.Parameter(torch.ones(d))
        self.gain_2 = nn.Parameter(torch.ones(d))

    def attend(self, x: Tensor, positions: Tensor, mask: Tensor, past: tuple[Tensor, Tensor] | None):
        n_heads, n_kv, d_head = self.shape
        q = self.W_q(x).unflatten(-1, (n_heads, d_head)).transpose(1, 2)
        k = self.W_k(x).unflatten(-1, (n_kv, d_head)).transpose(1, 2)
        v = self.W_v(x).unflatten(-1, (n_kv, d_head)).transpose(1, 2)
        q, k = rotary(q, positions, self.base), rotary(k, positions, self.base)
        if past is not None:
            k, v = torch.cat((past[0], k), -2), torch.cat((past[1], v), -2)
        out = grouped_attention(q, k, v, mask)
        return self.W_o(out.transpose(1, 2).flatten(-2)), (k, v)

    def forward(self, x: Tensor, positions: Tensor, mask: Tensor, past: tuple[Tensor, Tensor] | None):
        added, pair = self.attend(rms_norm(x, self.gain_1), positions, mask, past)
        x = x + added
        x = x + swiglu(rms_norm(x, self.gain_2), self.W_gate.weight, self.W_up.weight, self.W_down.weight)
        return x, pair


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
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base
        self.embedding = nn.Embedding(vocab, d_model)
        self.final_gain = nn.Parameter(torch.ones(d_model))
        self.blocks = nn.ModuleList([Block(self) for _ in range(n_layers)])

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = cache if cache is not None else [None] * self.n_layers
        T_past = cache[0][0].size(-2) if cache is not None else 0
        T = T_past + ids.size(1)
        positions = torch.arange(T, device=ids.device)[T_past:]
        mask = sliding_mask(T, self.window)[T_past:].to(ids.device)

        x = self.embedding(ids)
        pairs = []
        for block, before in zip(self.blocks, past, strict=True):
            x, pair = block(x, positions, mask, before)
            pairs.append(pair)
        return F.linear(rms_norm(x, self.final_gain), self.embedding.weight), pairs

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
    n = len(model.blocks)

    def first_value(name: str, shape: torch.Size) -> Tensor:
        if len(shape) == 1:
            return torch.ones(shape)
        std = STD / (2 * n) ** 0.5 if name.endswith(("W_o.weight", "W_down.weight")) else STD
        return std * torch.randn(shape, generator=generator)

    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(first_value(name, parameter.shape))
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    sizes = {name: p.shape for name, p in model.named_parameters()}
    parameters = sum(shape.numel() for shape in sizes.values())
    matrices = sum(shape.numel() for shape in sizes.values() if len(shape) == 2)
    attention = 2 * 2 * model.d_model * context * model.n_layers
    return parameters, 2 * matrices + attention


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    log_p = F.log_softmax(logits, dim=-1)
    nll = F.nll_loss(log_p.flatten(0, 1), targets.flatten())
    uniform = log_p.mean().neg()
    return torch.lerp(nll, uniform, eps)


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    m, v, steps = state[0].clone(), state[1].clone(), state[2] + 1
    m.mul_(betas[0]).add_(g, alpha=1 - betas[0])
    v.mul_(betas[1]).addcmul_(g, g, value=1 - betas[1])
    correction_m, correction_v = (1 - beta**steps for beta in betas)
    denominator = (v / correction_v).sqrt() + eps
    return w * (1 - lr * decay) - lr / correction_m * m / denominator, (m, v, steps)


def top_p(logits: Tensor, p: float) -> Tensor:
    if p == 1:
        return logits.softmax(-1)
    order = logits.argsort(dim=-1, descending=True)
    sorted_logits = logits.gather(-1, order)
    running = sorted_logits.softmax(-1).cumsum(-1)
    out = running >= p
    # shift to the right by one: the token that crosses p stays
    out = torch.cat((torch.zeros_like(out[..., :1]), out[..., :-1]), dim=-1)
    sorted_logits = sorted_logits.masked_fill(out, float("-inf"))
    back = order.argsort(dim=-1)
    return sorted_logits.softmax(-1).gather(-1, back)


def debugging_lab() -> dict[str, str]:
    return {"run_1": "c", "run_2": "a", "run_3": "d", "run_4": "b", "run_5": "b"}


def quiz() -> dict[str, str]:
    return dict(
        what_rms_keeps="b",
        why_group="d",
        why_tie="a",
        decay_aside="c",
        cache_of_groups="c",
        reach_of_windows="b",
        first_step="d",
        nucleus_size="a",
    )
