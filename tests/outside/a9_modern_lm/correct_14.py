"""A modern LM, short."""

import torch
import torch.nn as nn
import torch.nn.functional as F

STD = 0.02


def rms_norm(x, gain, eps=1e-5):
    return x / (x.pow(2).mean(-1, True) + eps).sqrt() * gain


def swiglu(x, W_gate, W_up, W_down):
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_up), W_down)


def rotary(x, positions, base=10000.0):
    d = x.size(-1)
    theta = torch.outer(positions.float(), base ** (-torch.arange(0, d, 2, device=x.device).float() / d))
    theta = theta.repeat_interleave(2, -1).to(x.dtype)
    swapped = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * theta.cos() + swapped * theta.sin()


def grouped_attention(q, k, v, mask=None):
    k, v = (t.repeat_interleave(q.size(1) // t.size(1), 1) for t in (k, v))
    att = q @ k.mT / q.size(-1) ** 0.5
    if mask is not None:
        att = att + torch.zeros_like(mask, dtype=att.dtype).masked_fill(mask.logical_not(), -torch.inf)
    return att.softmax(-1) @ v


def sliding_mask(T, window):
    return torch.ones(T, T).tril().triu(1 - window).bool()


class Block(nn.Module):
    def __init__(self, d, kv, ff):
        super().__init__()
        lin = lambda i, o: nn.Linear(i, o, bias=False)  # noqa: E731
        self.gain_1, self.gain_2 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.ones(d))
        self.W_q, self.W_k, self.W_v, self.W_o = lin(d, d), lin(d, kv), lin(d, kv), lin(d, d)
        self.W_gate, self.W_up, self.W_down = lin(d, ff), lin(d, ff), lin(ff, d)


class ModernLM(nn.Module):
    def __init__(self, vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window, base=10000.0):
        given = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__()
        self.__dict__.update(given)
        self.embedding = nn.Embedding(vocab, d_model)
        nn.init.normal_(self.embedding.weight, std=STD)
        self.blocks = nn.ModuleList(Block(d_model, d_model // n_heads * n_kv_heads, d_ff) for _ in range(n_layers))
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids, cache=None):
        B, T = ids.shape
        cache = cache or [None] * self.n_layers
        P = cache[0][0].size(2) if cache[0] else 0
        pos = torch.arange(P, P + T, device=ids.device)
        mask = sliding_mask(P + T, self.window)[P:].to(ids.device)
        heads = lambda y, n: y.view(B, T, n, -1).transpose(1, 2)  # noqa: E731
        x, new = self.embedding(ids), []
        for blk, old in zip(self.blocks, cache):
            h = rms_norm(x, blk.gain_1)
            q = rotary(heads(blk.W_q(h), self.n_heads), pos, self.base)
            kv = rotary(heads(blk.W_k(h), self.n_kv_heads), pos, self.base), heads(blk.W_v(h), self.n_kv_heads)
            if old:
                kv = tuple(torch.cat(both, 2) for both in zip(old, kv))
            new.append(kv)
            x = x + blk.W_o(grouped_attention(q, *kv, mask).transpose(1, 2).flatten(2))
            x = x + swiglu(rms_norm(x, blk.gain_2), blk.W_gate.weight, blk.W_up.weight, blk.W_down.weight)
        return F.linear(rms_norm(x, self.final_gain), self.embedding.weight), new

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
    residual = STD / (2 * len(model.blocks)) ** 0.5
    for name, p in model.named_parameters():
        if p.dim() < 2:
            p.copy_(torch.ones_like(p))
        else:
            p.copy_(torch.randn(p.shape, generator=generator))
            p *= residual if name.endswith(("W_o.weight", "W_down.weight")) else STD
    return model.state_dict()


def count(model, context):
    d, kv = model.d_model, model.d_model // model.n_heads * model.n_kv_heads
    layer = 2 * d * d + 2 * kv * d + 3 * model.d_ff * d
    table = model.vocab * d
    parameters = table + model.n_layers * (layer + 2 * d) + d
    return parameters, 2 * table + model.n_layers * (2 * layer + 4 * d * context)


def label_smoothed_nll(logits, targets, eps):
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten(), label_smoothing=eps)


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    (m, v, t), (b1, b2) = state, betas
    m, v, t = torch.lerp(g, m, b1), b2 * v + (1 - b2) * g.square(), t + 1
    step = (m / (1 - b1**t)) / ((v / (1 - b2**t)).sqrt() + eps)
    return w - lr * (decay * w + step), (m, v, t)


def top_p(logits, p):
    probs = logits.softmax(-1)
    if p >= 1:
        return probs
    larger = logits.unsqueeze(-2) > logits.unsqueeze(-1)  # [..., i, j]: token j is more probable than token i
    ahead = (larger * probs.unsqueeze(-2)).sum(-1)
    return logits.masked_fill(ahead >= p, -torch.inf).softmax(-1)


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
