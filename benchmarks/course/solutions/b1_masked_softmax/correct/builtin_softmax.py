"""The library's own softmax."""

import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Fill with minus infinity, then let the library do the rest."""
    return torch.softmax(torch.where(mask, scores, float("-inf")), dim=-1)
