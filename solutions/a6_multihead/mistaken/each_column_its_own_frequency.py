"""The student fills column by column and gives every column number its exponent."""

import torch


def sinusoidal_encoding(T, d_model, base=10000):
    columns = torch.arange(d_model, dtype=torch.float64)
    angles = torch.outer(torch.arange(T, dtype=torch.float64), float(base) ** (-columns / d_model))
    pe = torch.where(columns % 2 == 0, angles.sin(), angles.cos())
    return pe.float()
