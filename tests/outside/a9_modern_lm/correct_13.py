"""Parts of today's decoders, and a model made of them.

I split the model into an Attention mix-in, a feed-forward part and a small record of where we are in the text.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn

STD = 0.02

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


# ---------------------------------------------------------------------------------------------- helpers


def mean_square(x: Tensor) -> Tensor:
    """Mean of the squares over the features, with the axis kept."""
    return (x * x).sum(dim=-1, keepdim=True) / x.size(-1)


def silu(a: Tensor) -> Tensor:
    return a * torch.sigmoid(a)


def angle_table(positions: Tensor, d_head: int, base: float, dtype: torch.dtype) -> Tensor:
    """(time, d_head / 2): the angle of each position and pair."""
    pair = torch.arange(d_head // 2, device=positions.device).to(dtype)
    frequency = torch.pow(torch.tensor(base, dtype=dtype, device=positions.device), -2.0 * pair / d_head)
    return torch.outer(positions.to(dtype), frequency)


def masked_softmax(scores: Tensor, allowed: Tensor | None) -> Tensor:
    """Softmax over the last axis with hidden entries at exactly 0."""
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    scores = scores - scores.amax(dim=-1, keepdim=True).detach()
    e = torch.exp(scores)
    return e / e.sum(dim=-1, keepdim=True)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, time, heads * d) -> (batch, heads, time, d)."""
    batch, time, width = x.shape
    return x.view(batch, time, heads, width // heads).permute(0, 2, 1, 3)


def join_heads(x: Tensor) -> Tensor:
    """(batch, heads, time, d) -> (batch, time, heads * d)."""
    batch, heads, time, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, time, heads * d)


# ---------------------------------------------------------------------------------------------- the parts


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    return gain * (x / torch.sqrt(mean_square(x) + eps))


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    gate = silu(x @ W_gate.transpose(0, 1))
    up = x @ W_up.transpose(0, 1)
    return (gate * up) @ W_down.transpose(0, 1)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    angles = angle_table(positions, x.size(-1), base, x.dtype)
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    batch, n_heads, T_q, d_head = q.shape
    n_kv_heads, T_k = k.size(1), k.size(2)
    group = n_heads // n_kv_heads
    # every key-value head stands in front of each query head of its group
    k = k[:, :, None].expand(batch, n_kv_heads, group, T_k, d_head).reshape(batch, n_heads, T_k, d_head)
    v = v[:, :, None].expand(batch, n_kv_heads, group, T_k, d_head).reshape(batch, n_heads, T_k, d_head)
    scores = torch.matmul(q, k.transpose(-2, -1)) / sqrt(d_head)
    return torch.matmul(masked_softmax(scores, mask), v)


def sliding_mask(T: int, window: int) -> Tensor:
    mask = torch.zeros(T, T, dtype=torch.bool)
    for row in range(T):
        first = max(0, row - window + 1)
        mask[row, first : row + 1] = True
    return mask


# ---------------------------------------------------------------------------------------------- the model


@dataclass
class Place:
    """Where the new tokens stand, and what each of them may look at."""

    positions: Tensor
    mask: Tensor

    @classmethod
    def behind(cls, past: int, new: int, window: int, device: torch.device) -> "Place":
        positions = torch.arange(past, past + new, device=device)
        return cls(positions, sliding_mask(past + new, window)[past:, :].to(device))


class DecoderBlock(nn.Module):
    def __init__(self, owner: "ModernLM") -> None:
        super().__init__()
        d, kv = owner.d_model, owner.n_kv_heads * (owner.d_model // owner.n_heads)
        self.n_heads, self.n_kv_heads, self.base = owner.n_heads, owner.n_kv_heads, owner.base
        self.gain_1 = nn.Parameter(torch.ones(d))
        self.gain_2 = nn.Parameter(torch.ones(d))
        self.W_q = nn.Linear(d, d, bias=False)
        self.W_k = nn.Linear(d, kv, bias=False)
        self.W_v = nn.Linear(d, kv, bias=False)
        self.W_o = nn.Linear(d, d, bias=False)
        self.W_gate = nn.Linear(d, owner.d_ff, bias=False)
        self.W_up = nn.Linear(d, owner.d_ff, bias=False)
        self.W_down = nn.Linear(owner.d_ff, d, bias=False)

    def attend(self, h: Tensor, place: Place, old: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        q = rotary(split_heads(self.W_q(h), self.n_heads), place.positions, self.base)
        k = rotary(split_heads(self.W_k(h), self.n_kv_heads), place.positions, self.base)
        v = split_heads(self.W_v(h), self.n_kv_heads)
        if old is not None:
            k = torch.cat((old[0], k), dim=2)
            v = torch.cat((old[1], v), dim=2)
        return self.W_o(join_heads(grouped_attention(q, k, v, place.mask))), (k, v)

    def feed_forward(self, h: Tensor) -> Tensor:
        return swiglu(h, self.W_gate.weight, self.W_up.weight, self.W_down.weight)

    def forward(self, x: Tensor, place: Place, old: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        change, pair = self.attend(rms_norm(x, self.gain_1), place, old)
        x = x + change
        x = x + self.feed_forward(rms_norm(x, self.gain_2))
        return x, pair


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
        self.blocks = nn.ModuleList([DecoderBlock(self) for _ in range(n_layers)])
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = cache[0][0].size(2) if cache is not None else 0
        place = Place.behind(past, ids.size(1), self.window, ids.device)
        x = self.embedding(ids)
        new_cache: Cache = []
        for index, block in enumerate(self.blocks):
            x, pair = block(x, place, None if cache is None else cache[index])
            new_cache.append(pair)
        logits = rms_norm(x, self.final_gain) @ self.embedding.weight.transpose(0, 1)
        return logits, new_cache

    def sizes(self) -> list[float]:
        """Return what the constructor has kept, given."""
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids, pieces) -> Tensor:
        """Read ids in pieces of these lengths with a cache, given: the logits of all positions."""
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt, endings) -> list[Tensor]:
        """Read a prompt once and go on from it with each of several endings, given: the logits of each ending."""
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def first_std(name: str, n_layers: int) -> float:
    """The standard deviation of a matrix at the beginning."""
    module = name.rsplit(".", 2)[-2]
    return STD / sqrt(2 * n_layers) if module in ("W_o", "W_down") else STD


def init_(model, generator: torch.Generator) -> dict[str, Tensor]:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                nn.init.ones_(parameter)
            else:
                draw = torch.randn(tuple(parameter.shape), generator=generator)
                parameter.copy_(draw.mul(first_std(name, len(model.blocks))))
    return model.state_dict()


def count(model, context: int) -> tuple[int, int]:
    parameters, flops = 0, 0
    for parameter in model.parameters():
        parameters += parameter.numel()
        if parameter.dim() == 2:
            rows, columns = parameter.shape
            flops += 2 * rows * columns
    d_head = model.d_model // model.n_heads
    for_each_head = 2 * d_head * context + 2 * context * d_head
    flops += model.n_layers * model.n_heads * for_each_head
    return parameters, flops


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    vocab = logits.size(-1)
    wanted = torch.full_like(logits, eps / vocab)
    wanted = wanted.scatter_add(-1, targets.unsqueeze(-1), torch.full_like(logits[..., :1], 1 - eps))
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return -(wanted * log_p).sum(dim=-1).mean()


@dataclass
class Averages:
    """Both running averages of one parameter."""

    m: Tensor
    v: Tensor
    steps: int

    def after(self, g: Tensor, betas: tuple[float, float]) -> "Averages":
        b1, b2 = betas
        return Averages(b1 * self.m + (1 - b1) * g, b2 * self.v + (1 - b2) * g**2, self.steps + 1)

    def direction(self, betas: tuple[float, float], eps: float) -> Tensor:
        m_hat = self.m / (1 - betas[0] ** self.steps)
        v_hat = self.v / (1 - betas[1] ** self.steps)
        return m_hat / (torch.sqrt(v_hat) + eps)


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    averages = Averages(*state).after(g, betas)
    moved = w - lr * decay * w - lr * averages.direction(betas, eps)
    return moved, (averages.m, averages.v, averages.steps)


def nucleus_size(sorted_probabilities: Tensor, p: float) -> Tensor:
    """How many of the most probable tokens it takes to reach p: (..., 1)."""
    vocab = sorted_probabilities.size(-1)
    if p >= 1:
        return torch.full_like(sorted_probabilities[..., :1], vocab, dtype=torch.long)
    short = (sorted_probabilities.cumsum(dim=-1) < p).sum(dim=-1, keepdim=True)  # sums that do not reach p yet
    return (short + 1).clamp(max=vocab)


def top_p(logits: Tensor, p: float) -> Tensor:
    probabilities = torch.softmax(logits, dim=-1)
    ordered, order = torch.sort(logits, dim=-1, descending=True)
    size = nucleus_size(torch.softmax(ordered, dim=-1), p)
    rank = torch.argsort(order, dim=-1)  # where each token stands in the order
    kept = probabilities * (rank < size)
    return kept / kept.sum(dim=-1, keepdim=True)


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
