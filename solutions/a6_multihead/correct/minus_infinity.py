"""Forbidden scores are -inf and NaN is replaced afterwards; a constant is added to all allowed scores; views, in place."""

import torch
from torch import nn


def split_heads(x, n_heads):
    b, t, d = x.size()
    return x.contiguous().view(b, t, n_heads, d // n_heads).permute(0, 2, 1, 3).contiguous()


def merge_heads(x):
    b, h, t, d = x.size()
    return x.permute(0, 2, 1, 3).contiguous().view(b, t, h * d)


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(layer(x), self.n_heads) for layer, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scores = torch.matmul(q, k.transpose(2, 3))
        scores = scores.div(q.size(-1) ** 0.5) + 3.0
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attention = nn.Softmax(dim=-1)(scores)
        if mask is not None:
            attention = torch.nan_to_num(attention, nan=0.0)
        out = self.W_o(merge_heads(torch.matmul(attention, v)))
        return (out, attention) if need_weights else out


def sinusoidal_encoding(T, d_model, base=10000):
    pe = torch.zeros(T, d_model)
    position = torch.arange(0, T, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-torch.log(torch.tensor(float(base))) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


def timing_signal(T, d_model):
    timescales = torch.logspace(0, 4, d_model // 2)
    signal = torch.empty(T, d_model)
    signal[:, : d_model // 2] = (torch.arange(T)[:, None] / timescales).sin_()
    signal[:, d_model // 2 :] = (torch.arange(T)[:, None] / timescales).cos_()
    return signal


def shift_matrix(k, d_model):
    angle = sinusoidal_encoding(abs(k) + 1, d_model)[-1]
    sin, cos = angle[0::2] * (1 if k >= 0 else -1), angle[1::2]
    M = torch.diag(cos.repeat_interleave(2))
    M[range(0, d_model, 2), range(1, d_model, 2)] = sin
    M[range(1, d_model, 2), range(0, d_model, 2)] = -sin
    return M


def apply_rope(x, positions, base=10000):
    x = x.clone()
    theta = 1.0 / base ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
    angle = positions.float()[..., None] * theta
    angle = angle[:, None] if angle.dim() == 3 else angle
    first, second = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = first * angle.cos() - second * angle.sin()
    x[..., 1::2] = first * angle.sin() + second * angle.cos()
    return x
