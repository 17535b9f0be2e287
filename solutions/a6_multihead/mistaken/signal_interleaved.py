"""The student writes sines into even and cosines into odd columns, as always."""

import torch


def timing_signal(T, d_model):
    f = torch.logspace(0, -4, d_model // 2, dtype=torch.float64)
    a = torch.arange(T, dtype=torch.float64).reshape(-1, 1) * f
    signal = torch.zeros(T, d_model)
    signal[:, ::2] = a.sin()
    signal[:, 1::2] = a.cos()
    return signal
