"""Tensors: fill in the function and the two modules."""

import torch
from torch import nn


def doubled(x: torch.Tensor) -> torch.Tensor:
    """Return every entry of `x` times two."""
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION


class Affine(nn.Module):
    """A matrix product and a shift."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, features))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x W^T + b."""
        # BEGIN SOLUTION
        return x @ self.weight.T + self.bias
        # END SOLUTION


class Chain(nn.Module):
    """Two affine maps, the first of which is doubled."""

    def __init__(self, features: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first = Affine(features, hidden)
        self.second = Affine(hidden, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the second map of twice the first."""
        # BEGIN SOLUTION
        return self.second(doubled(self.first(x)))
        # END SOLUTION
