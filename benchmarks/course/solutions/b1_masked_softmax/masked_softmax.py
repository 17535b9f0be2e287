"""Masked softmax in torch."""

import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Turn each row of scores into shares of one, over the keys the mask allows.

    Args:
        scores: (..., T_q, T_k).
        mask: (..., T_q, T_k) of bool, True where the query may read the key; every row allows one key or more.

    Returns:
        weights: (..., T_q, T_k); every row sums to one, and forbidden entries are exactly zero.
    """
    # BEGIN SOLUTION
    scores = scores.masked_fill(~mask, float("-inf"))
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    raised = shifted.exp()
    return raised / raised.sum(dim=-1, keepdim=True)
    # END SOLUTION
