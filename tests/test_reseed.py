"""What one case leaves behind in the process does not reach the next one."""

from __future__ import annotations

import torch

from autograder.sandbox.child.program import reseed


def test_gradients_are_on_again_for_the_next_case() -> None:
    """A function that switches them off for good costs no points where others need them."""
    torch.set_grad_enabled(False)
    try:
        reseed(1)
        assert torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)
