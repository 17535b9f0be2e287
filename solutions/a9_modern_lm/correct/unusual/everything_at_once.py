"""The model reads with one matrix for queries, keys and values that is put together on the way, and masks with numbers."""

import math

import torch
from torch import nn


class Part(nn.Module):
    def __init__(self, d, narrow, d_ff):
        super().__init__()
        self.W_down = nn.Linear(d_ff, d, bias=False)
        self.W_up = nn.Linear(d, d_ff, bias=False)
        self.W_gate = nn.Linear(d, d_ff, bias=False)
        self.W_o, self.W_q = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.W_v, self.W_k = nn.Linear(d, narrow, bias=False), nn.Linear(d, narrow, bias=False)
        self.gain_2, self.gain_1 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.ones(d))


class ModernLM(ModernLM):
    def __init__(self, *sizes):
        nn.Module.__init__(self)
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        for name, size in zip(names, (*sizes, 10000.0)):
            setattr(self, name, size)
        narrow = self.d_model * self.n_kv_heads // self.n_heads
        self.final_gain = nn.Parameter(torch.ones(self.d_model))
        self.blocks = nn.ModuleList()
        for _ in range(self.n_layers):
            self.blocks.append(Part(self.d_model, narrow, self.d_ff))
        self.embedding = nn.Embedding(self.vocab, self.d_model)

    def forward(self, ids, cache=None):
        B, T = ids.shape
        past = cache[0][1].shape[2] if cache is not None else 0
        columns = torch.arange(past + T, device=ids.device)
        rows = columns[past:, None]
        hidden = torch.where((columns > rows) | (columns <= rows - self.window), -math.inf, 0.0)
        x, kept = self.embedding.weight[ids], []
        d_head, group = self.d_model // self.n_heads, self.n_heads // self.n_kv_heads
        for number, b in enumerate(self.blocks):
            W = torch.cat([b.W_q.weight, b.W_k.weight, b.W_v.weight])
            y = (rms_norm(x, b.gain_1) @ W.T).view(B, T, -1, d_head).transpose(1, 2)
            q, k, v = y.split([self.n_heads, self.n_kv_heads, self.n_kv_heads], dim=1)
            q, k = rotary(q, rows[:, 0], self.base), rotary(k, rows[:, 0], self.base)
            if past:
                k, v = (torch.cat(parts, dim=2) for parts in zip(cache[number], (k, v)))
            kept.append([k, v])
            asks = q.unflatten(1, (self.n_kv_heads, group))
            shares = (asks @ k[:, :, None].mT / d_head**0.5 + hidden).softmax(-1)
            x = x + b.W_o((shares @ v[:, :, None]).flatten(1, 2).transpose(1, 2).flatten(2))
            z = rms_norm(x, b.gain_2)
            x = x + swiglu(z, b.W_gate.weight, b.W_up.weight, b.W_down.weight)
        return rms_norm(x, self.final_gain) @ self.embedding.weight.T, kept
