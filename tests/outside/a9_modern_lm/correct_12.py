"""A language model end to end: batched products, einsum and broadcasting throughout."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

STD = 0.02  # the standard deviation of GPT-2's first weights


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * gain."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * gain


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    """Both maps in one product; the gate is the first half of what comes out."""
    both = torch.einsum("...d,sfd->s...f", x, torch.stack([W_gate, W_up]))
    return torch.einsum("...f,df->...d", F.silu(both[0]) * both[1], W_down)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """A pair is a complex number, and turning is a product with exp(i angle)."""
    d_head = x.shape[-1]
    exponents = torch.arange(0, d_head, 2, device=x.device, dtype=x.dtype) / d_head
    angles = positions.to(x.dtype)[:, None] * base**-exponents  # (time, d_head / 2)
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.unflatten(-1, (d_head // 2, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Query heads get an axis for their group (g) and one for their place in it (r)."""
    n_kv = k.shape[1]
    grouped = q.unflatten(1, (n_kv, q.shape[1] // n_kv))
    scores = torch.einsum("bgrqd,bgkd->bgrqk", grouped, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return torch.einsum("bgrqk,bgkd->bgrqd", scores.softmax(-1), v).flatten(1, 2)


def sliding_mask(T: int, window: int) -> Tensor:
    """i - window < j <= i."""
    place = torch.arange(T)
    back = place[:, None] - place  # how far behind the query the key stands
    return (back >= 0) & (back < window)


class Layer(nn.Module):
    """The parameters of one block."""

    def __init__(self, d_model: int, d_kv: int, d_ff: int) -> None:
        super().__init__()
        self.gain_1, self.gain_2 = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.ones(d_model))
        shapes = {
            "W_q": (d_model, d_model),
            "W_k": (d_model, d_kv),
            "W_v": (d_model, d_kv),
            "W_o": (d_model, d_model),
            "W_gate": (d_model, d_ff),
            "W_up": (d_model, d_ff),
            "W_down": (d_ff, d_model),
        }
        for name, (ins, outs) in shapes.items():
            self.add_module(name, nn.Linear(ins, outs, bias=False))


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
        self.vocab, self.d_model, self.n_heads, self.n_kv_heads = vocab, d_model, n_heads, n_kv_heads
        self.d_ff, self.n_layers, self.window, self.base = d_ff, n_layers, window, base
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(Layer(d_model, n_kv_heads * (d_model // n_heads), d_ff) for _ in range(n_layers))
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids, cache=None):
        past = 0 if cache is None else cache[0][0].shape[-2]
        time = past + ids.shape[1]
        positions = torch.arange(past, time, device=ids.device)
        mask = sliding_mask(time, self.window)[past:].to(ids.device)
        x = self.embedding(ids)
        grown = []
        for i, b in enumerate(self.blocks):
            h = rms_norm(x, b.gain_1)
            W = torch.cat([b.W_q.weight, b.W_k.weight, b.W_v.weight])
            heads = torch.einsum("btd,ed->bte", h, W).unflatten(-1, (self.n_heads + 2 * self.n_kv_heads, -1))
            q, k, v = heads.transpose(1, 2).split([self.n_heads, self.n_kv_heads, self.n_kv_heads], dim=1)
            q, k = rotary(q, positions, self.base), rotary(k, positions, self.base)
            if cache is not None:
                k, v = torch.cat([cache[i][0], k], dim=-2), torch.cat([cache[i][1], v], dim=-2)
            grown.append((k, v))
            y = grouped_attention(q, k, v, mask)
            x = x + torch.einsum("bhtf,dhf->btd", y, b.W_o.weight.unflatten(1, (self.n_heads, -1)))
            x = x + swiglu(rms_norm(x, b.gain_2), b.W_gate.weight, b.W_up.weight, b.W_down.weight)
        return torch.einsum("btd,vd->btv", rms_norm(x, self.final_gain), self.embedding.weight), grown

    def sizes(self):
        """Return what the constructor has kept, given."""
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids, pieces):
        """Read ids in pieces of these lengths with a cache, given: the logits of all positions."""
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt, endings):
        """Read a prompt once and go on from it with each of several endings, given: the logits of each ending."""
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


@torch.no_grad()
def init_(model, generator):
    for name, p in model.named_parameters():
        if p.ndim == 1:
            p.fill_(1)
            continue
        writes = name.split(".")[-2] in {"W_o", "W_down"}
        std = STD * (2 * len(model.blocks)) ** -0.5 if writes else STD
        p.copy_(std * torch.randn(p.shape, generator=generator))
    return model.state_dict()


def count(model, context: int) -> tuple[int, int]:
    """Every matrix is met once by a token: the embedding as the output map."""
    sizes = [(p.ndim, p.numel()) for p in model.parameters()]
    matrices = sum(n for ndim, n in sizes if ndim == 2)
    return sum(n for _, n in sizes), 2 * matrices + 4 * model.d_model * context * model.n_layers


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    nll = -logits.log_softmax(-1)
    hit = nll.gather(-1, targets[..., None])[..., 0]
    return ((1 - eps) * hit + eps * nll.mean(-1)).mean()


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    moments = torch.stack(state[:2])
    t = state[2] + 1
    beta = torch.tensor(betas, dtype=torch.float64).reshape(2, *[1] * w.ndim)
    keep, take, correction = (b.to(w) for b in (beta, 1 - beta, 1 - beta**t))  # 1 - beta is taken in double precision
    moments = keep * moments + take * torch.stack([g, g * g])
    m_hat, v_hat = moments / correction
    return w * (1 - lr * decay) - lr * m_hat / (v_hat.sqrt() + eps), (moments[0], moments[1], t)


def top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(-1, descending=True)
    probs = logits.softmax(-1).gather(-1, order)
    before = probs.cumsum(-1) - probs
    kept = torch.where((before < p) | (p >= 1), probs, 0)
    kept = kept / kept.sum(-1, keepdim=True)
    return torch.zeros_like(kept).scatter(-1, order, kept)


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
