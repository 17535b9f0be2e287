"""The student counts positions from one, and i by columns."""

import torch


def sinusoidal_encoding(T, d_model, base=10000):
    pe = torch.empty(T, d_model)
    for t in range(1, T + 1):
        for i in range(d_model // 2):
            angle = torch.tensor(t / base ** (i / d_model), dtype=torch.float64)
            pe[t - 1, 2 * i], pe[t - 1, 2 * i + 1] = angle.sin(), angle.cos()
    return pe
