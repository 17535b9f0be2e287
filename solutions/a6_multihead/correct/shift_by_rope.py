"""A shift is what RoPE makes of the unit vectors at its position."""

import torch


def shift_matrix(k, d_model):
    units = torch.eye(d_model, dtype=torch.float64)[None, None]
    turned = apply_rope(units, torch.full((d_model,), k))[0, 0]
    return turned.float()
