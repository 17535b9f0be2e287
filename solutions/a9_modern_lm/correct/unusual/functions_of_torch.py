"""Norms by vector lengths, silu by tanh, rotations as matrices, masks by differences of triangles."""

import math

import torch


def rms_norm(x, gain, eps=1e-5):
    d = x.size(-1)
    return x * gain / torch.sqrt(torch.linalg.vector_norm(x, dim=-1, keepdim=True).square() / d + eps)


def swiglu(x, W_gate, W_up, W_down):
    a, b = (x @ torch.cat([W_gate, W_up]).T).chunk(2, -1)
    return (a * 0.5 * (1 + torch.tanh(a / 2)) * b) @ W_down.mT


def rotary(x, positions, base=10000.0):
    d = x.shape[-1]
    blocks = []
    for p in positions.tolist():
        angles = [p / base ** (i / d) for i in range(0, d, 2)]
        turns = [torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles]
        blocks.append(torch.block_diag(*turns))
    return (torch.stack(blocks).to(x) @ x.unsqueeze(-1)).squeeze(-1)


def sliding_mask(T, window):
    ones = torch.ones(T, T)
    return (torch.tril(ones) - torch.tril(ones, diagonal=-window)).bool()
