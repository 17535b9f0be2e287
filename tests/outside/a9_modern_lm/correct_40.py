"""My language model."""

import math

import torch
from torch import nn
import torch.nn.functional as F

STD = 0.02


def rms_norm(x, gain, eps=1e-5):
    ms = (x * x).mean(dim=-1, keepdim=True)
    return x / torch.sqrt(ms + eps) * gain


def swiglu(x, W_gate, W_up, W_down):
    gate = F.silu(x @ W_gate.T)
    up = x @ W_up.T
    return (gate * up) @ W_down.T


def rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    i = torch.arange(d // 2, device=x.device)
    freq = base ** (-2.0 * i / d)
    angle = positions[:, None] * freq[None, :]
    cos = torch.cos(angle)
    sin = torch.sin(angle)
    even = x[..., 0::2]
    odd = x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def grouped_attention(q, k, v, mask=None):
    group = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    a = torch.softmax(s, dim=-1)
    return a @ v


def sliding_mask(T, window):
    i = torch.arange(T)[:, None]
    j = torch.arange(T)[None, :]
    return (j <= i) & (j > i - window)


class Block(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff):
        super().__init__()
        kv = n_kv_heads * (d_model // n_heads)
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.gain_2 = nn.Parameter(torch.ones(d_model))
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, kv, bias=False)
        self.W_v = nn.Linear(d_model, kv, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)


class ModernLM(nn.Module):
    def __init__(self, vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window, base=10000.0):
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
        self.blocks = nn.ModuleList([Block(d_model, n_heads, n_kv_heads, d_ff) for _ in range(n_layers)])
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids, cache=None):
        B, T = ids.shape
        past = 0 if cache is None else cache[0][0].shape[2]
        d_head = self.d_model // self.n_heads
        pos = torch.arange(past, past + T, device=ids.device)
        mask = sliding_mask(past + T, self.window)[past:].to(ids.device)
        x = self.embedding(ids)
        new_cache = []
        for n, b in enumerate(self.blocks):
            h = rms_norm(x, b.gain_1)
            q = b.W_q(h).view(B, T, self.n_heads, d_head).transpose(1, 2)
            k = b.W_k(h).view(B, T, self.n_kv_heads, d_head).transpose(1, 2)
            v = b.W_v(h).view(B, T, self.n_kv_heads, d_head).transpose(1, 2)
            q = rotary(q, pos, self.base)
            k = rotary(k, pos, self.base)
            if cache is not None:
                k = torch.cat([cache[n][0], k], dim=2)
                v = torch.cat([cache[n][1], v], dim=2)
            new_cache.append((k, v))
            o = grouped_attention(q, k, v, mask)
            o = o.transpose(1, 2).reshape(B, T, self.d_model)
            x = x + b.W_o(o)
            h = rms_norm(x, b.gain_2)
            x = x + swiglu(h, b.W_gate.weight, b.W_up.weight, b.W_down.weight)
        x = rms_norm(x, self.final_gain)
        logits = x @ self.embedding.weight.T
        return logits, new_cache

    def sizes(self):
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids, pieces):
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt, endings):
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def init_(model, generator):
    small = STD / math.sqrt(2 * len(model.blocks))
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1:
                p.fill_(1.0)
            elif name.endswith("W_o.weight") or name.endswith("W_down.weight"):
                p.copy_(torch.randn(p.shape, generator=generator) * small)
            else:
                p.copy_(torch.randn(p.shape, generator=generator) * STD)
    return model.state_dict()


def count(model, context):
    d = model.d_model
    kv = model.n_kv_heads * (d // model.n_heads)
    matrices = 2 * d * d + 2 * d * kv + 3 * d * model.d_ff
    params = model.n_layers * (matrices + 2 * d)
    params += model.vocab * d + d
    flops = model.n_layers * (2 * matrices + 4 * d * context)
    flops += 2 * model.vocab * d
    return params, flops


def label_smoothed_nll(logits, targets, eps):
    logp = torch.log_softmax(logits, dim=-1)
    right = -logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    spread = -logp.mean(dim=-1)
    return ((1 - eps) * right + eps * spread).mean()


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m, v, t = state
    b1, b2 = betas
    t = t + 1
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    m_hat = m / (1 - b1**t)
    v_hat = v / (1 - b2**t)
    new = w - lr * decay * w
    new = new - lr * m_hat / (torch.sqrt(v_hat) + eps)
    return new, (m, v, t)


def top_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    ordered, index = probs.sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    keep = before < p
    if p >= 1:
        keep = torch.ones_like(keep)
    kept = ordered * keep
    kept = kept / kept.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, index, kept)


def debugging_lab():
    return {"run_1": "b", "run_2": "a", "run_3": "d", "run_4": "b", "run_5": "b"}


def quiz():
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
