"""What tests share that compare torch references with torch's own modules."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

TOLERANCES = {torch.float64: 1e-10, torch.float32: 1e-5}


def same(mine: torch.Tensor, theirs: torch.Tensor) -> None:
    """Assert that two tensors agree in shape, and in value relative to the largest entry."""
    mine, theirs = mine.detach(), theirs.detach()
    assert mine.shape == theirs.shape
    assert (mine - theirs).abs().max() <= TOLERANCES[theirs.dtype] * max(1.0, float(theirs.abs().max()))


def randomised(net: nn.Module, dtype: torch.dtype) -> Any:
    """Return a module with parameters at trained scale; biases are not zero, and no scale is one."""
    net = net.to(dtype)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.normal_(0.0, 0.6)
            if "norm" in name and name.endswith("weight"):
                parameter.add_(1.0)
    return net.eval()
