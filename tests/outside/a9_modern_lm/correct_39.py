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
import torch.nn.functional as F
from torch import Tensor, nn

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


def _unit_circle(d_head, positions, base):
    i = torch.arange(d_head // 2, device=positions.device, dtype=torch.float64)
    angle = torch.outer(positions.double(), torch.pow(base, -2 * i / d_head))
    return torch.polar(torch.ones_like(angle), angle).to(torch.complex64)


def _turn(x, circle):
    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * circle[:, None]).flatten(-2)


def _norm(x, gain, eps=1e-5):
    return F.rms_norm(x, (x.shape[-1],), gain, eps)


class _Bag(nn.Module):
    def __init__(self, **shapes):
        super().__init__()
        for name, shape in shapes.items():
            if isinstance(shape, tuple):
                self.add_module(name, nn.Linear(shape[1], shape[0], bias=False))
            else:
                self.register_parameter(name, nn.Parameter(torch.ones(shape)))


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    return gain * x * torch.rsqrt(F.mse_loss(x, torch.zeros_like(x), reduction="none").mean(-1, keepdim=True) + eps)


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    both = F.linear(x, torch.cat([W_up, W_gate]))
    up, gate = both.chunk(2, dim=-1)
    return F.linear(F.silu(gate).mul(up), W_down)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    circle = _unit_circle(x.shape[-1], positions, base)
    return _turn(x.transpose(1, 2), circle).transpose(1, 2).contiguous()


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    n_kv, d = k.shape[1], q.shape[-1]
    grouped = q.unflatten(1, (n_kv, -1))  # (batch, n_kv, group, T_q, d)
    s = torch.einsum("bhgqd,bhkd->bhgqk", grouped * d**-0.5, k)
    if mask is not None:
        s = s + torch.zeros_like(mask, dtype=s.dtype).masked_fill(mask.logical_not(), -1e30)
    return torch.einsum("bhgqk,bhkd->bhgqd", s.softmax(-1), v).flatten(1, 2)


def sliding_mask(T: int, window: int) -> Tensor:
    return torch.ones(T, T).tril().triu(1 - window).bool()


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
        given = dict(locals())
        for name in ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base"):
            setattr(self, name, given[name])
        self.d_head = d_model // n_heads
        kv, square, wide = (n_kv_heads * self.d_head, d_model), (d_model, d_model), (d_ff, d_model)
        shapes = dict(gain_1=d_model, W_q=square, W_k=kv, W_v=kv, W_o=square)
        shapes |= dict(gain_2=d_model, W_gate=wide, W_up=wide, W_down=wide[::-1])
        self.final_gain = nn.Parameter(torch.ones(d_model))
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList([_Bag(**shapes) for _ in range(n_layers)])

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        x = F.embedding(ids, self.embedding.weight)
        if cache is None:
            empty = x.new_zeros(ids.shape[0], self.n_kv_heads, 0, self.d_head)
            cache = [(empty, empty)] * self.n_layers
        past = cache[0][0].shape[-2]
        here = torch.arange(past, past + ids.shape[1], device=ids.device)
        distance = here[:, None] - torch.arange(past + ids.shape[1], device=ids.device)
        may_look = (distance >= 0) & (distance < self.window)
        circle = _unit_circle(self.d_head, here, self.base)
        after = []
        for b, (old_k, old_v) in zip(self.blocks, cache, strict=True):
            h = _norm(x, b.gain_1)
            q, k, v = (W(h).unflatten(-1, (-1, self.d_head)) for W in (b.W_q, b.W_k, b.W_v))
            k = torch.cat((old_k, _turn(k, circle).transpose(1, 2)), dim=-2)
            v = torch.cat((old_v, v.transpose(1, 2)), dim=-2)
            after.append((k, v))
            heads = []
            for j, one in enumerate(_turn(q, circle).unbind(2)):  # (batch, time, d_head)
                g = j * self.n_kv_heads // self.n_heads
                a = torch.baddbmm(one.new_zeros(1), one, k[:, g].mT, beta=0, alpha=self.d_head**-0.5)
                heads.append(a.masked_fill(~may_look, float("-inf")).softmax(-1).bmm(v[:, g]))
            x = x + b.W_o(torch.cat(heads, -1))
            h = _norm(x, b.gain_2)
            x = x + b.W_down(F.silu(b.W_gate(h)) * b.W_up(h))
        return F.linear(_norm(x, self.final_gain), self.embedding.weight), after

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
    writes = {id(W.weight) for block in model.blocks for W in (block.W_o, block.W_down)}
    for _, w in model.named_parameters():
        if w.ndim < 2:
            nn.init.ones_(w)
        else:
            scale = STD * (2 * len(model.blocks)) ** -0.5 if id(w) in writes else STD
            z = torch.randn(w.shape, generator=generator).mul_(scale)
            with torch.no_grad():
                w[:] = z
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    parameters = sum(w.numel() for w in model.parameters())
    matrices = sum(w.numel() for w in model.parameters() if w.dim() == 2)  # the embedding once, as the output map
    return parameters, 2 * (matrices + 2 * model.n_layers * context * model.d_model)


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    return F.cross_entropy(logits.movedim(-1, 1), targets, label_smoothing=eps)


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
    m, v, t = m.lerp(g, 1 - a), v.lerp(g.square(), 1 - b), t + 1
    denominator = (v / (1 - b**t)).sqrt_().add_(eps)
    return w.mul(1 - lr * decay).addcdiv_(m, denominator, value=-lr / (1 - a**t)), (m, v, t)


def top_p(logits: Tensor, p: float) -> Tensor:
    # a token stays if those that are more probable do not reach p without it
    q = logits.softmax(-1)
    ahead = (q.unsqueeze(-2) * (q.unsqueeze(-2) > q.unsqueeze(-1))).sum(-1)
    stays = (ahead < p) | torch.tensor(p >= 1, device=q.device)
    return F.normalize(q * stays, p=1, dim=-1)


def debugging_lab() -> dict[str, str]:
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
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
