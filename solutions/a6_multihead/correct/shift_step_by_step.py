"""A shift is one step of RoPE, as often as it takes."""

import torch


def shift_matrix(k, d_model):
    units = torch.eye(d_model, dtype=torch.float64).reshape(1, 1, d_model, d_model)
    turned = apply_rope(units, torch.ones(d_model, dtype=torch.int64))[0, 0]
    return torch.linalg.matrix_power(turned, k).float()
