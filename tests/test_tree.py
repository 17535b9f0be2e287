"""What stands beside trees of data: whether torch is there to compare with."""

from __future__ import annotations

import importlib.machinery
import sys
import types

import numpy as np
import pytest

from autograder.sandbox.child.tree import imported_torch, is_object


def test_torch_that_another_thread_imports_is_not_there_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A correct solution may import it while other submissions are judged; what is half imported has no `nn`."""
    half = types.ModuleType("torch")
    half.__spec__ = importlib.machinery.ModuleSpec("torch", None)
    monkeypatch.setitem(sys.modules, "torch", half)
    assert imported_torch() is half
    half.__spec__._initializing = True  # type: ignore[attr-defined] # as Python says it of a module on its way
    assert imported_torch() is None
    assert not is_object(np.zeros(1))
