"""My modern language model (a9)."""

import math

import torch
import torch.nn.functional as F
from torch import nn

STD = 0.02


def rms_norm(x, gain, eps=1e-5):
    mean_square = (x ** 2).mean(dim=-1, keepdim=True)
    return x / torch.sqrt(mean_square + eps) * gain


def swiglu(x, W_gate, W_up, W_down):
    gate = F.silu(x @ W_gate.T)
    up = x @ W_up.T
    return (gate * up) @ W_down.T


def rotary(x, positions, base=10000.0):
    d_head = x.shape[-1]
    # one frequency for each pair
    i = torch.arange(d_head // 2, device=x.device, dtype=x.dtype)
    freq = base ** (-2 * i / d_head)
    angle = positions.to(device=x.device, dtype=x.dtype)[:, None] * freq[None, :]  # (time, d_head / 2)
    cos, sin = torch.cos(angle), torch.sin(angle)

    even = x[..., 0::2]
    odd = x[..., 1::2]
    new_even = even * cos - odd * sin
    new_odd = even * sin + odd * cos
    # put them next to each other again
    return torch.stack([new_even, new_odd], dim=-1).flatten(-2)


def grouped_attention(q, k, v, mask=None):
    n_heads, n_kv_heads = q.shape[1], k.shape[1]
    group = n_heads // n_kv_heads
    # head h must read h // group, so every kv head is repeated `group` times in a row
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v


def sliding_mask(T, window):
    i = torch.arange(T)[:, None]
    j = torch.arange(T)[None, :]
    return (j <= i) & (j > i - window)


class Block(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, d_ff, base):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_head = d_model // n_heads
        self.base = base
        self.gain_1 = nn.Parameter(torch.ones(d_model))
        self.gain_2 = nn.Parameter(torch.ones(d_model))
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, n_kv_heads * self.d_head, bias=False)
        self.W_v = nn.Linear(d_model, n_kv_heads * self.d_head, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_gate = nn.Linear(d_model, d_ff, bias=False)
        self.W_up = nn.Linear(d_model, d_ff, bias=False)
        self.W_down = nn.Linear(d_ff, d_model, bias=False)

    def split(self, x, heads):
        batch, time, _ = x.shape
        return x.reshape(batch, time, heads, self.d_head).transpose(1, 2)

    def forward(self, x, positions, mask, past):
        batch, time, d_model = x.shape
        h = rms_norm(x, self.gain_1)
        q = rotary(self.split(self.W_q(h), self.n_heads), positions, self.base)
        k = rotary(self.split(self.W_k(h), self.n_kv_heads), positions, self.base)
        v = self.split(self.W_v(h), self.n_kv_heads)
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        a = grouped_attention(q, k, v, mask)
        a = a.transpose(1, 2).reshape(batch, time, d_model)
        x = x + self.W_o(a)
        x = x + swiglu(rms_norm(x, self.gain_2), self.W_gate.weight, self.W_up.weight, self.W_down.weight)
        return x, (k, v)


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
        self.blocks = nn.ModuleList([Block(d_model, n_heads, n_kv_heads, d_ff, base) for _ in range(n_layers)])
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids, cache=None):
        T_new = ids.shape[1]
        T_past = 0 if cache is None else cache[0][0].shape[2]
        positions = torch.arange(T_past, T_past + T_new, device=ids.device)
        # only the rows of the new tokens
        mask = sliding_mask(T_past + T_new, self.window)[T_past:].to(ids.device)
        x = self.embedding(ids)
        new_cache = []
        for n, block in enumerate(self.blocks):
            past = None if cache is None else cache[n]
            x, pair = block(x, positions, mask, past)
            new_cache.append(pair)
        logits = rms_norm(x, self.final_gain) @ self.embedding.weight.T
        return logits, new_cache

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


def init_(model, generator):
    n = len(model.blocks)
    with torch.no_grad():
        for name, param in model.named_parameters():
            if param.dim() == 1:
                param.fill_(1.0)
            elif name.endswith("W_o.weight") or name.endswith("W_down.weight"):
                param.copy_(torch.randn(param.shape, generator=generator) * STD / math.sqrt(2 * n))
            else:
                param.copy_(torch.randn(param.shape, generator=generator) * STD)
    return model.state_dict()


def count(model, context):
    parameters = sum(p.numel() for p in model.parameters())
    d = model.d_model
    d_head = d // model.n_heads
    kv = model.n_kv_heads * d_head
    matrices = 2 * d * d + 2 * d * kv + 3 * d * model.d_ff
    per_layer = 2 * matrices + 4 * d * context
    flops = model.n_layers * per_layer + 2 * model.vocab * d
    return parameters, flops


def label_smoothed_nll(logits, targets, eps):
    logp = torch.log_softmax(logits, dim=-1)
    right = -logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    everyone = -logp.mean(dim=-1)
    return ((1 - eps) * right + eps * everyone).mean()


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m, v, t = state
    beta1, beta2 = betas
    t = t + 1
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g ** 2
    m_hat = m / (1 - beta1 ** t)
    v_hat = v / (1 - beta2 ** t)
    w = w - lr * decay * w - lr * m_hat / (torch.sqrt(v_hat) + eps)
    return w, (m, v, t)


def top_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    if p >= 1:
        return probs
    ordered, places = probs.sort(dim=-1, descending=True)
    running = ordered.cumsum(dim=-1)
    # a token stays if those before it have not reached p yet
    before = running - ordered
    stays = before < p
    stays[..., 0] = True
    ordered = torch.where(stays, ordered, torch.zeros_like(ordered))
    ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, places, ordered)


def debugging_lab():
    answers = {"run_1": "c", "run_2": "a", "run_3": "d", "run_4": "b", "run_5": "b"}
    return answers


def quiz():
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
