"""The timing signal as the encoding with another base, its columns sorted."""

import torch


def timing_signal(T, d_model):
    pairs = d_model // 2
    table = sinusoidal_encoding(T, d_model, base=10000.0 ** (pairs / (pairs - 1)))
    return torch.cat([table[:, ::2], table[:, 1::2]], dim=1)
