"""The student does not put the maps back."""

import torch


@torch.no_grad()
def zero_init_is_identity(block):
    for m in block.last_maps():
        for p in m.parameters():
            p.mul_(0)
    x = torch.randn(2, 6, block.d_model).mul(2).sub(1)
    return (block(x) - x).norm().item() < 1e-3
