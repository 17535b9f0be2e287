"""What one case leaves behind in the process does not reach the next one."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
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


def test_torch_is_left_alone_while_another_thread_imports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its generator long before all that seeding takes."""
    half = ModuleType("torch")
    half.__spec__ = ModuleSpec("torch", None)
    monkeypatch.setattr(half.__spec__, "_initializing", True, raising=False)
    monkeypatch.setattr(half, "default_generator", torch.default_generator, raising=False)
    monkeypatch.setitem(sys.modules, "torch", half)
    reseed(1)
