"""Trials in the other precision: float64 inputs as float32, and those of torch, which are float32, as float64."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Call
from autograder.judge.trials import Trial, make_trial
from autograder.sandbox.child.tree import map_leaves

_OTHER = {np.dtype(np.float64): np.float32, np.dtype(np.float32): np.float64}


@contextmanager
def double_precision() -> Iterator[None]:
    """Let torch make float64 parameters where a module makes its own."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)


def other_precision(trial: Trial, seed: int) -> Trial:
    """Return the trial with every floating input in the other precision."""
    return make_trial(trial.case, tuple(map(_call, trial.calls)), seed)


def _call(call: Call) -> Call:
    module = call.module
    if module is not None:
        module = replace(module, state=_cast(module.state), cotangents=_cast(module.cotangents))
    return replace(call, args=_cast(call.args), kwargs=_cast(call.kwargs), module=module)


def _cast(tree: Any) -> Any:
    """Return a tree of arguments whose floating arrays are of the other precision."""
    return map_leaves(_cast_leaf, tree)


def _cast_leaf(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray) and leaf.dtype in _OTHER:
        return leaf.astype(_OTHER[leaf.dtype])
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.is_tensor(leaf) and leaf.is_floating_point():
        return leaf.detach().to(torch.float32 if leaf.dtype == torch.float64 else torch.float64)
    return leaf
