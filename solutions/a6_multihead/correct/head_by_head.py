"""One head after the other, each with its rows of the weights, and the output as a sum over heads; loops elsewhere."""

import math

import torch


def split_heads(x, n_heads):
    return torch.stack(torch.chunk(x, n_heads, dim=-1), dim=1)


def merge_heads(x):
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        d_head = query.shape[-1] // self.n_heads
        output, kept = self.W_o.bias, []
        for h in range(self.n_heads):
            rows = slice(h * d_head, (h + 1) * d_head)
            q, k, v = (
                x @ layer.weight[rows].T + layer.bias[rows]
                for x, layer in ((query, self.W_q), (key, self.W_k), (value, self.W_v))
            )
            scores = torch.bmm(q, k.mT) / math.sqrt(d_head)
            allowed = torch.ones_like(scores, dtype=torch.bool)
            if mask is not None:
                mine = mask if mask.ndim < 4 else mask[:, h if mask.shape[1] > 1 else 0]
                allowed = mine.expand(scores.shape)
            top = scores.masked_fill(~allowed, -math.inf).amax(-1, keepdim=True).clamp(min=-1e30).detach()
            raised = torch.where(allowed, (scores - top).clamp(max=0), -math.inf).exp()
            total = raised.sum(-1, keepdim=True)
            weights = raised / torch.where(total > 0, total, 1.0)
            output = output + (weights @ v) @ self.W_o.weight[:, rows].T
            kept.append(weights)
        return (output, torch.stack(kept, dim=1)) if need_weights else output


def sinusoidal_encoding(T, d_model, base=10000):
    PE = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(d_model // 2):
            PE[t, 2 * i] = math.sin(t / base ** (2 * i / d_model))
            PE[t, 2 * i + 1] = math.cos(t / base ** (2 * i / d_model))
    return PE


def timing_signal(T, d_model):
    n = d_model // 2
    frequencies = [10000 ** (-i / (n - 1)) for i in range(n)]
    rows = [[math.sin(t * f) for f in frequencies] + [math.cos(t * f) for f in frequencies] for t in range(T)]
    return torch.tensor(rows)


def shift_matrix(k, d_model):
    blocks = []
    for i in range(d_model // 2):
        a = k / 10000 ** (2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]))
    return torch.block_diag(*blocks)


def apply_rope(x, positions, base=10000):
    out = torch.empty_like(x)
    batch, _, time, d = x.shape
    rows = positions.expand(batch, time).tolist()
    for b in range(batch):
        for t in range(time):
            for i in range(0, d, 2):
                angle = rows[b][t] * base ** (-i / d)
                c, s = math.cos(angle), math.sin(angle)
                out[b, :, t, i] = x[b, :, t, i] * c - x[b, :, t, i + 1] * s
                out[b, :, t, i + 1] = x[b, :, t, i] * s + x[b, :, t, i + 1] * c
    return out
