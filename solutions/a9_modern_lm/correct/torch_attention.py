"""Torch's own attention and linear layers where they are allowed, the rest by hand; one class for everything in the model."""

import torch
from torch import nn

F = nn.functional


def swiglu(x, W_gate, W_up, W_down):
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_up), W_down)


def sliding_mask(T, window):
    full = torch.ones(T, T, dtype=torch.bool)
    return full.tril().triu(1 - window)


class Layer(nn.Module):
    def __init__(self, d, narrow, d_ff):
        super().__init__()
        sizes = {"W_q": (d, d), "W_k": (d, narrow), "W_v": (d, narrow), "W_o": (d, d)}
        sizes |= {"W_gate": (d, d_ff), "W_up": (d, d_ff), "W_down": (d_ff, d)}
        for name, (inputs, outputs) in sizes.items():
            self.add_module(name, nn.Linear(inputs, outputs, bias=False))
        self.gain_1 = nn.Parameter(torch.ones(d))
        self.gain_2 = nn.Parameter(torch.ones(d))

    def forward(self, x, old, start, model):
        B, T, d = x.shape
        h = F.rms_norm(x, (d,), self.gain_1, 1e-5)
        q, k, v = self.W_q(h), self.W_k(h), self.W_v(h)
        q = q.view(B, T, model.n_heads, -1).transpose(1, 2)
        k = k.view(B, T, model.n_kv_heads, -1).transpose(1, 2)
        v = v.view(B, T, model.n_kv_heads, -1).transpose(1, 2)
        places = torch.arange(start, start + T, device=x.device)
        q, k = rotary(q, places, model.base), rotary(k, places, model.base)
        if old is not None:
            k, v = torch.cat([old[0], k], -2), torch.cat([old[1], v], -2)
        all_places = torch.arange(k.shape[-2], device=x.device)
        far = places[:, None] - all_places[None]
        mask = (far >= 0) & (far < model.window)
        group = model.n_heads // model.n_kv_heads
        full_k, full_v = (part.repeat_interleave(group, 1) for part in (k, v))
        looked = F.scaled_dot_product_attention(q, full_k, full_v, attn_mask=mask)
        x = x + self.W_o(looked.transpose(1, 2).reshape(B, T, d))
        h = F.rms_norm(x, (d,), self.gain_2, 1e-5)
        return x + self.W_down(F.silu(self.W_gate(h)) * self.W_up(h)), (k, v)


class ModernLM(ModernLM):
    def __init__(self, vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window, base=10000.0):
        nn.Module.__init__(self)
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList([Layer(d_model, d_model // n_heads * n_kv_heads, d_ff) for _ in range(n_layers)])
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids, cache=None):
        start = cache[0][0].size(-2) if cache else 0
        x, kept = self.embedding(ids), []
        for i, block in enumerate(self.blocks):
            x, pair = block(x, cache[i] if cache else None, start, self)
            kept.append(pair)
        x = F.rms_norm(x, (self.d_model,), self.final_gain, 1e-5)
        return F.linear(x, self.embedding.weight), kept


def init_(model, generator):
    depth = len(model.blocks)
    for where, p in model.named_parameters():
        if p.ndim == 1:
            nn.init.ones_(p)
        else:
            last = where.split(".")[-2]
            nn.init.normal_(
                p, 0.0, 0.02 * (2 * depth) ** (-0.5 if last in ("W_o", "W_down") else 0.0), generator=generator
            )
    return model.state_dict()


def label_smoothed_nll(logits, targets, eps):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=eps)
