"""Tensors: fill in the function."""

import torch


def doubled(x: torch.Tensor) -> torch.Tensor:
    """Return every entry of `x` times two."""
    raise NotImplementedError("doubled is not written yet")
