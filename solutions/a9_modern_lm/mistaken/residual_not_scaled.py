"""The student draws everything from one distribution."""

import torch


def init_(model, generator):
    for p in model.parameters():
        p.data = torch.ones_like(p) if p.ndim == 1 else torch.randn(p.shape, generator=generator) * 0.02
    return model.state_dict()
