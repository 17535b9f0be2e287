"""Rotations are multiplications by complex numbers; attention works in double precision inside."""

import torch
from torch.nn import functional


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        def project(layer, x):
            y = functional.linear(x.double(), layer.weight.double(), layer.bias.double())
            return y.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

        q, k, v = project(self.W_q, query), project(self.W_k, key), project(self.W_v, value)
        bias = torch.zeros(1, 1, query.shape[1], key.shape[1], dtype=torch.float64)
        seen = torch.ones(1)
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            bias = torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -1e9)
            seen = mask.any(dim=-1, keepdim=True)
        weights = (q @ k.mT / q.shape[-1] ** 0.5 + bias).softmax(-1) * seen
        output = (weights @ v).transpose(1, 2).flatten(2) @ self.W_o.weight.double().T + self.W_o.bias
        return (output.float(), weights.float()) if need_weights else output.float()


def _waves(T, speeds):
    return torch.exp(1j * torch.outer(torch.arange(T).double(), speeds))


def sinusoidal_encoding(T, d_model, base=10000):
    waves = _waves(T, base ** -(torch.arange(0, d_model, 2).double() / d_model))
    return torch.view_as_real(waves).flip(-1).flatten(1)


def timing_signal(T, d_model):
    waves = _waves(T, torch.logspace(0, -4, d_model // 2, dtype=torch.float64))
    return torch.hstack([waves.imag, waves.real])


def shift_matrix(k, d_model):
    turn = torch.exp(1j * k * 10000 ** -(torch.arange(0, d_model, 2).double() / d_model))
    identity = torch.eye(d_model, dtype=torch.float64)
    rows = torch.complex(identity[:, 1::2], identity[:, 0::2])
    moved = torch.view_as_real(rows * turn).flip(-1).flatten(1)
    return moved.T


def apply_rope(x, positions, base=10000):
    speeds = 1.0 / base ** (torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
    angles = positions.unsqueeze(-1).double() * speeds
    turns = torch.polar(torch.ones_like(angles), angles)
    if positions.ndim == 2:
        turns = turns[:, None]
    numbers = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(numbers * turns).flatten(-2)
